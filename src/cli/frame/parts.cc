#include "cli/frame/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/result.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"

namespace peregrine {

namespace {

constexpr std::size_t kFewest = 3;  // minimum length of an abbreviated part name

const Command* find_part(const Command& command, std::string_view word) {
  for (const Command* part : command.parts) {
    const std::string_view name = short_name(*part);
    if (word == name || (word.size() >= kFewest && name.starts_with(word))) return part;
  }
  return nullptr;
}

bool names(const Option& option, std::string_view use) {
  const std::string_view name = use.substr(use.starts_with("--") ? 2 : 1);
  const std::string_view word = name.substr(0, name.find('='));
  const auto negates = [](std::string_view longer, std::string_view shorter) {
    return longer.starts_with("no-") && longer.substr(3) == shorter;
  };
  return option.name == word || negates(word, option.name) || negates(option.name, word);
}

}  // namespace

std::string_view short_name(const Command& part) { return part.name.substr(part.name.rfind(' ') + 1); }

std::optional<Result<int>> answer_for(const Command& part, std::span<const std::string> arguments, Invocation& call) {
  std::vector<std::string> uses;
  const std::vector<Option> options = all_options(part);
  const auto parsed = name_uses(options, part.passes_to->words_at, arguments, uses);
  if (!parsed || parsed->asked == Asked::Run) return std::nullopt;
  Command shown = part;
  shown.options = options;
  if (shown.description.empty()) shown.description = part.passes_to->description;
  Invocation asked{.command = shown,
                   .config = call.config,
                   .messages = call.messages,
                   .out = call.out,
                   .argv = call.argv,
                   .out_is_terminal = call.out_is_terminal};
  return answer(asked, *parsed);
}

Result<int> run_other(const Command& command, std::vector<std::string> arguments, Invocation& call) {
  Invocation other{.command = command,
                   .config = call.config,
                   .messages = call.messages,
                   .out = call.out,
                   .argv = call.argv,
                   .arguments = std::move(arguments),
                   .out_is_terminal = call.out_is_terminal,
                   .confined = call.confined};
  return command.run(other);
}

Result<int> run_part(Invocation& call) {
  std::vector<std::string> uses;
  auto parsed = name_uses(call.command.options, Words::StopAtFirst, call.arguments, uses);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (parsed->asked != Asked::Run) return answer(call, *parsed);
  std::vector<std::string_view> names;
  std::string listed;
  for (const Command* part : call.command.parts) {
    names.push_back(short_name(*part));
    listed += fmt::format("{}{}", listed.empty() ? "" : ", ", names.back());
  }
  const std::string_view one_of = names.size() == 1 ? "" : "one of ";
  if (parsed->words.empty()) return fail(ErrorKind::Usage, "missing subcommand: must be {}{}", one_of, listed);
  const std::string& word = parsed->words.front();
  if (const Command* part = find_part(call.command, word); part != nullptr) {
    uses.insert(uses.end(), parsed->words.begin() + 1, parsed->words.end());
    if (part->passes_to != nullptr)
      if (auto answered = answer_for(*part, uses, call)) return std::move(*answered);
    return run_other(*part, std::move(uses), call);
  }
  auto error = fail(ErrorKind::Usage, "unknown subcommand '{}': must be {}{}", word, one_of, listed);
  if (const auto best = nearest(word, names)) error.error().hint = fmt::format("did you mean '{}'?", *best);
  return error;
}

bool part_takes_screen(const Invocation& call) {
  std::vector<std::string> uses;
  const auto parsed = name_uses(call.command.options, Words::StopAtFirst, call.arguments, uses);
  if (!parsed || parsed->asked != Asked::Run || parsed->words.empty()) return false;
  const Command* part = find_part(call.command, parsed->words.front());
  if (part == nullptr || part->takes_screen == nullptr) return false;
  uses.insert(uses.end(), parsed->words.begin() + 1, parsed->words.end());
  return part->takes_screen({.command = *part,
                             .config = call.config,
                             .messages = call.messages,
                             .out = call.out,
                             .argv = call.argv,
                             .arguments = std::move(uses),
                             .out_is_terminal = call.out_is_terminal});
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> all(command.options.begin(), command.options.end());
  if (command.passes_to == nullptr) return all;
  const auto is_own = [&](const Option& option) {
    return std::ranges::any_of(command.options, [&](const Option& own) {
      return (!own.name.empty() && own.name == option.name) || (own.letter != 0 && own.letter == option.letter);
    });
  };
  for (const Option& option : command.passes_to->options)
    if (!is_own(option)) all.push_back(option);
  return all;
}

Result<std::vector<std::string>> take_own_options(const Invocation& call, void* options, TypeTag owner) {
  const std::span<const Option> own = call.command.options;
  std::vector<std::string> uses, mine, theirs;
  auto parsed = name_uses(all_options(call.command), call.command.passes_to->words_at, call.arguments, uses);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  for (std::string& use : uses) {
    const bool is_own = std::ranges::any_of(own, [&](const Option& option) { return names(option, use); });
    (is_own ? mine : theirs).push_back(std::move(use));
  }
  auto stored = parse_options(own, Words::Anywhere, mine, options, owner);
  if (!stored) return std::unexpected(std::move(stored.error()));
  if (parsed->asked == Asked::ShortHelp) theirs.emplace_back("-h");
  if (!parsed->words.empty()) theirs.emplace_back("--");
  theirs.insert(theirs.end(), parsed->words.begin(), parsed->words.end());
  return theirs;
}

const Command* called_part(const Command& command, std::span<const std::string> arguments) {
  if (command.parts.empty()) return nullptr;
  std::vector<std::string> uses;
  const auto parsed = name_uses(command.options, Words::StopAtFirst, arguments, uses);
  if (!parsed || parsed->words.empty()) return nullptr;
  return find_part(command, parsed->words.front());
}

}  // namespace peregrine
