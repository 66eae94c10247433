#include "probe/definition/trace_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/number/parse_number.h"

namespace peregrine {
namespace {

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \n"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<u64> take_unsigned(std::string_view text) {
  return text.starts_with("0x") ? parse_number<u64>(text.substr(2), 16) : parse_number<u64>(text);
}

// "/bin/x:0x12f0(0x3018)" or "mod:func+4" or "0xffffffff81000000".
bool parse_place(std::string_view word, TraceProbe& probe) {
  if (word.ends_with("%return")) {
    probe.is_return = true;
    word.remove_suffix(7);
  }
  if (word.starts_with('/')) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string_view::npos) return false;
    probe.target = word.substr(0, colon);
    word.remove_prefix(colon + 1);
    if (const std::size_t paren = word.find('('); paren != std::string_view::npos && word.ends_with(')')) {
      probe.semaphore = take_unsigned(word.substr(paren + 1, word.size() - paren - 2));
      word = word.substr(0, paren);
    }
    const auto offset = take_unsigned(word);
    probe.offset = offset.value_or(0);
    return offset.has_value();
  }
  if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
    probe.target = word.substr(0, colon);
    word.remove_prefix(colon + 1);
  }
  const std::size_t plus = word.rfind('+');
  probe.symbol = word.substr(0, plus);
  if (plus == std::string_view::npos) return !probe.symbol.empty();
  const auto offset = take_unsigned(word.substr(plus + 1));
  probe.offset = offset.value_or(0);
  return offset.has_value() && !probe.symbol.empty();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// What the kernel's isspace() accepts: it reads bytes as Latin-1, which has a no-break space at a0.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\xa0'; }

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_control(c))
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result;
}

Result<> check_path(const std::string& path) {
  const bool control = std::ranges::any_of(path, is_control);
  if (!control && std::ranges::none_of(path, [](char c) { return is_blank(c) || c == '#'; })) return {};
  const std::string_view what = control ? "control characters" : "spaces or '#'";
  return std::unexpected(
      Error{ErrorKind::Unsupported, fmt::format("cannot probe '{}': the path has {}", shown(path), what)}.with_hint(
          fmt::format(
              "the kernel does not accept paths with {}: create a hard link to the program under another path (ln)",
              control ? what : "spaces")));
}

// "n=%di:s32" or "%di"; nullopt for an empty name or value, which the kernel never writes.
std::optional<TraceArgument> parse_trace_argument(std::string_view word) {
  TraceArgument argument;
  if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
    if (equals == 0) return std::nullopt;
    argument.name = word.substr(0, equals);
    word.remove_prefix(equals + 1);
  }
  const bool text = word.starts_with("\\\"");
  if (const std::size_t colon = word.rfind(':'); colon != std::string_view::npos && !text) {
    argument.type = word.substr(colon + 1);
    word = word.substr(0, colon);
  }
  if (word.empty()) return std::nullopt;
  argument.value = word;
  return argument;
}

}  // namespace

std::string TraceProbe::place() const {
  if (is_user()) {
    std::string result = fmt::format("{}:{:#x}", target, offset);
    if (semaphore && *semaphore != 0) result += fmt::format("({:#x})", *semaphore);
    return result;
  }
  if (symbol.starts_with("0x")) return target.empty() ? symbol : fmt::format("{}:{}", target, symbol);
  return fmt::format("{}{}{}+{}", target, target.empty() ? "" : ":", symbol, offset);
}

std::string TraceProbe::format() const {
  std::string line = fmt::format("{}:{}/{} {}", is_return ? 'r' : 'p', group, event, place());
  for (const TraceArgument& argument : arguments) {
    line += ' ';
    if (!argument.name.empty()) line += argument.name + '=';
    line += argument.value;
    if (!argument.type.empty()) line += ':' + argument.type;
  }
  return line;
}

Result<> TraceProbe::check() const {
  PEREGRINE_TRY(check_path(target));
  const auto is_unsafe = [](std::string_view part) {
    return std::ranges::any_of(part, [](char c) { return is_control(c) || is_blank(c) || c == '#'; });
  };
  // A value may be a text with blanks: the kernel then rejects the argument.
  const auto is_unsafe_argument = [&](const TraceArgument& argument) {
    return is_unsafe(argument.name) || is_unsafe(argument.type) || std::ranges::any_of(argument.value, is_control);
  };
  if (is_unsafe(group) || is_unsafe(event) || is_unsafe(symbol) || std::ranges::any_of(arguments, is_unsafe_argument))
    return std::unexpected(
        Error{ErrorKind::Unsupported,
              fmt::format("cannot define '{}': a name contains spaces, '#' or control characters", shown(format()))}
            .with_hint("name the event and its arguments: EVENT=PLACE NAME=VARIABLE"));
  return {};
}

void name_apart(std::vector<TraceArgument>& arguments) {
  std::set<std::string> names;
  for (const TraceArgument& argument : arguments) names.insert(argument.name);
  std::set<std::string> taken;
  for (TraceArgument& argument : arguments) {
    if (argument.name.empty() || taken.insert(argument.name).second) continue;
    std::string name;
    for (unsigned number = 1; name.empty() || names.contains(name); ++number)
      name = fmt::format("{}_{}", argument.name, number);
    names.insert(name);
    taken.insert(name);
    argument.name = std::move(name);
  }
}

std::optional<TraceProbe> TraceProbe::parse(std::string_view line) {
  TraceProbe probe;
  std::string_view head = next_word(line);
  if (head.empty() || (head.front() != 'p' && head.front() != 'r')) return std::nullopt;
  probe.is_return = head.front() == 'r';
  const std::size_t colon = head.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  head.remove_prefix(colon + 1);
  const std::size_t slash = head.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  probe.group = head.substr(0, slash);
  probe.event = head.substr(slash + 1);
  if (probe.group.empty() || probe.event.empty() || !parse_place(next_word(line), probe)) return std::nullopt;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    auto argument = parse_trace_argument(word);
    if (!argument) return std::nullopt;
    probe.arguments.push_back(std::move(*argument));
  }
  return probe;
}

}  // namespace peregrine
