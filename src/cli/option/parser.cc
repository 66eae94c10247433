#include "cli/option/parser.h"

#include <fmt/format.h>

#include <cassert>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/result.h"

namespace peregrine {

namespace {

constexpr std::string_view kNo = "no-";

// An option, and whether an argument negates it.
struct Match {
  const Option* option = nullptr;
  bool negated = false;
  std::string spelled() const;
};

std::string Match::spelled() const {
  if (!negated) return fmt::format("--{}", option->name);
  if (option->name.starts_with(kNo)) return fmt::format("--{}", option->name.substr(kNo.size()));
  return fmt::format("--no-{}", option->name);
}

std::optional<Match> find_exact(std::span<const Option> table, std::string_view word) {
  for (const Option& option : table)
    if (option.name == word && !word.empty()) return Match{&option, false};
  for (const Option& option : table) {
    if (option.name.empty()) continue;
    if (word.starts_with(kNo) && word.substr(kNo.size()) == option.name) return Match{&option, true};
    if (option.name.starts_with(kNo) && option.name.substr(kNo.size()) == word) return Match{&option, true};
  }
  return std::nullopt;
}

// Returns every option of linux-perf that `word` abbreviates, plain or negated.
std::vector<Match> find_abbreviated(std::span<const Option> table, std::string_view word) {
  std::vector<Match> matches;
  for (const Option& option : table) {
    if (option.since == Since::Ours || option.name.empty()) continue;
    const bool negative_name = option.name.starts_with(kNo);
    const std::string_view opposite = negative_name ? option.name.substr(kNo.size()) : option.name;
    if (option.name.starts_with(word))
      matches.push_back({&option, false});
    else if (negative_name ? opposite.starts_with(word)
                           : word.starts_with(kNo) && opposite.starts_with(word.substr(kNo.size())))
      matches.push_back({&option, true});
  }
  // Plain readings take precedence over negated ones, and visible options over hidden ones.
  auto keep_if_any = [&](auto wanted) {
    std::vector<Match> kept;
    for (const Match& match : matches)
      if (wanted(match)) kept.push_back(match);
    if (!kept.empty()) matches = std::move(kept);
  };
  keep_if_any([](const Match& match) { return !match.negated; });
  keep_if_any([](const Match& match) { return match.option->shown == Shown::Everywhere; });
  return matches;
}

Error unknown_option(std::span<const Option> table, std::string_view word) {
  Error error{ErrorKind::Usage, fmt::format("unknown option `{}'", word)};
  std::vector<std::string_view> names;
  const bool negated = word.starts_with(kNo);
  const std::string_view sought = negated ? word.substr(kNo.size()) : word;
  for (const Option& option : table)
    if (option.shown == Shown::Everywhere) names.push_back(option.name);
  if (auto meant = nearest(word, names))
    error.hint = fmt::format("did you mean --{}?", *meant);
  else if (meant = negated ? nearest(sought, names) : std::nullopt; meant)
    error.hint = fmt::format("did you mean --no-{}?", *meant);
  return error;
}

Result<Match> find_long(std::span<const Option> table, std::string_view word) {
  if (auto exact = find_exact(table, word)) return *exact;
  const std::vector<Match> matches = find_abbreviated(table, word);
  if (matches.empty()) return std::unexpected(unknown_option(table, word));
  if (matches.size() == 1) return matches.front();
  std::string all;
  for (const Match& match : matches) all += (all.empty() ? "" : " ") + match.spelled();
  Error error{ErrorKind::Usage, fmt::format("Ambiguous option: {} (could be {} or {})", word,
                                            matches[matches.size() - 2].spelled(), matches.back().spelled())};
  if (matches.size() > 2) error.hint = fmt::format("it matches {}", all);
  return std::unexpected(std::move(error));
}

std::string first_line(const Option& option) {
  const std::string help = help_text(option);
  return help.substr(0, help.find('\n'));
}

// Formats "--freq <freq>: profile at this frequency".
std::string reminder_of(const Option& option) {
  std::string text = option.name.empty() ? fmt::format("-{}", option.letter) : fmt::format("--{}", option.name);
  if (!option.metavar.empty())
    text +=
        option.value == Value::Sticky ? fmt::format("[=<{}>]", option.metavar) : fmt::format(" <{}>", option.metavar);
  return fmt::format("{}: {}", text, first_line(option));
}

std::unexpected<Error> misuse(const Option& option, std::string message) {
  return std::unexpected(Error{ErrorKind::Usage, std::move(message), reminder_of(option)});
}

class Parser {
 public:
  Parser(std::span<const Option> table, Words words, std::span<const std::string> arguments, void* options,
         TypeTag owner)
      : table_(table), words_(words), arguments_(arguments), options_(options), owner_(owner) {}
  Parser(std::span<const Option> table, Words words, std::span<const std::string> arguments,
         std::vector<std::string>& uses)
      : table_(table), words_(words), arguments_(arguments), uses_(&uses) {}

  Result<ParsedOptions> run() {
    while (at_ < arguments_.size() && parsed_.asked == Asked::Run) {
      const std::string_view argument = arguments_[at_++];
      if (argument == "--") break;
      if (argument.size() < 2 || argument[0] != '-') {
        parsed_.words.emplace_back(argument);
        if (words_ == Words::StopAtFirst) break;
      } else if (argument[1] == '-') {
        PEREGRINE_TRY(long_option(argument.substr(2)));
      } else {
        PEREGRINE_TRY(letters(argument.substr(1)));
      }
    }
    while (at_ < arguments_.size()) parsed_.words.push_back(arguments_[at_++]);
    return std::move(parsed_);
  }

 private:
  Result<> long_option(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const std::string_view word = argument.substr(0, equals);
    std::optional<std::string_view> given;
    if (equals != std::string_view::npos) given = argument.substr(equals + 1);
    auto match = find_long(table_, word);
    if (!match) {
      if (word == "help")
        parsed_.asked = Asked::Manual;
      else if (word == "list-opts")
        parsed_.asked = Asked::ListOptions;
      else if (word == "list-cmds")
        parsed_.asked = Asked::ListCommands;
      else
        return std::unexpected(std::move(match.error()));
      return {};
    }
    return use(*match, match->spelled(), fmt::format("option `{}'", match->option->name), given);
  }

  // Parses a cluster of letters: the first letter that takes a value takes the rest of the cluster.
  Result<> letters(std::string_view cluster) {
    if (cluster[0] == 'h' && find_letter('h') == nullptr) {
      parsed_.asked = Asked::ShortHelp;
      return {};
    }
    while (!cluster.empty()) {
      const char letter = cluster[0];
      cluster.remove_prefix(1);
      const Option* option = find_letter(letter);
      if (option == nullptr) return unknown_letter(letter, cluster);
      std::optional<std::string_view> given;
      if (option->value != Value::None && !cluster.empty()) {
        given = cluster;
        cluster = {};
      }
      PEREGRINE_TRY(use({option, false}, fmt::format("-{}", letter), fmt::format("switch `{}'", letter), given));
    }
    return {};
  }

  Result<> unknown_letter(char letter, std::string_view rest) const {
    Error error{ErrorKind::Usage, fmt::format("unknown switch `{}'", letter)};
    // -freq instead of --freq is a common slip.
    const std::string word = letter + std::string(rest.substr(0, rest.find('=')));
    if (word.size() > 2)
      if (auto meant = find_exact(table_, word)) error.hint = fmt::format("did you mean {}?", meant->spelled());
    const char other = static_cast<char>(letter ^ 0x20);
    if (error.hint.empty())
      if (const Option* near = find_letter(other))
        error.hint = fmt::format("did you mean -{}? {}", other, first_line(*near));
    return std::unexpected(std::move(error));
  }

  const Option* find_letter(char letter) const {
    for (const Option& option : table_)
      if (option.letter == letter && letter != 0) return &option;
    return nullptr;
  }

  // Determines the value of an option, taking the next argument if necessary.
  Result<> use(Match match, std::string spelled, std::string_view what, std::optional<std::string_view> given) {
    const Option& option = *match.option;
    if (match.negated || option.value == Value::None) {
      if (given) return misuse(option, fmt::format("{} takes no value", what));
    } else if (!given && option.value != Value::Sticky) {
      const bool there = at_ < arguments_.size();
      if (option.value == Value::Required && !there) return misuse(option, fmt::format("{} requires a value", what));
      if (option.value == Value::Required || (there && !arguments_[at_].starts_with('-'))) given = arguments_[at_++];
    }
    if (!option.store)
      return std::unexpected(Error{ErrorKind::Unsupported, fmt::format("{} is not built yet", spelled)});
    if (uses_ != nullptr) {
      const std::string name = option.name.empty() ? fmt::format("-{}", option.letter) : match.spelled();
      uses_->push_back(given ? fmt::format("{}={}", name, *given) : name);
      return {};
    }
    if (option.store.owner != owner_) bug(option);
    return option.store.apply(options_, {.option = &option,
                                         .value = given           ? *given
                                                  : match.negated ? std::string_view()
                                                                  : option.implied,
                                         .has_value = given.has_value(),
                                         .negated = match.negated,
                                         .spelled = spelled});
  }

  [[noreturn]] static void bug(const Option&) {
    assert(!"an option row stores into another command's options");
    __builtin_trap();
  }

  std::span<const Option> table_;
  Words words_;
  std::span<const std::string> arguments_;
  void* options_ = nullptr;
  TypeTag owner_ = nullptr;
  std::vector<std::string>* uses_ = nullptr;  // if set, collects the names of used options instead of storing values
  std::size_t at_ = 0;
  ParsedOptions parsed_;
};

}  // namespace

Result<ParsedOptions> parse_options(std::span<const Option> table, Words words, std::span<const std::string> arguments,
                                    void* options, TypeTag owner) {
  return Parser(table, words, arguments, options, owner).run();
}

Result<ParsedOptions> name_uses(std::span<const Option> table, Words words, std::span<const std::string> arguments,
                                std::vector<std::string>& uses) {
  return Parser(table, words, arguments, uses).run();
}

}  // namespace peregrine
