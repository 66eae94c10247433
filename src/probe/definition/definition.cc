#include "probe/definition/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/trim.h"

namespace peregrine {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The first of `marks` that is neither escaped nor part of "::".
std::size_t find_mark(std::string_view text, std::string_view marks) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' || text.substr(i).starts_with("::"))
      ++i;  // an escape, or part of a C++ name
    else if (marks.find(text[i]) != std::string_view::npos)
      return i;
  }
  return std::string_view::npos;
}

std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = std::string_view::npos;
  bool in_cast = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool end = i == text.size() || (std::isspace(static_cast<unsigned char>(text[i])) != 0 && !in_cast);
    if (end) {
      if (begin != std::string_view::npos) words.push_back(text.substr(begin, i - begin));
      begin = std::string_view::npos;
      in_cast = false;
      continue;
    }
    // Only arguments have casts; in a pattern, parentheses need not match.
    if (!words.empty() && text[i] == '(' && (begin == std::string_view::npos || text[i - 1] == '=')) in_cast = true;
    if (text[i] == ')') in_cast = false;
    if (begin == std::string_view::npos) begin = i;
  }
  return words;
}

template <class T>
std::optional<T> number_of(std::string_view text, bool any_base = false) {
  return any_base ? parse_prefixed_number<T>(text) : parse_number<T>(text);
}

std::unexpected<Error> bad(std::string_view definition, std::string_view what, std::string_view why) {
  return fail(ErrorKind::Usage, "'{}' in the probe definition '{}': {}", what, definition, why);
}

class PlaceParser {
 public:
  explicit PlaceParser(std::string_view text) : whole_(text) {}

  Result<ProbePlace> parse() {
    std::string_view rest = whole_;
    if (rest.starts_with("0x") || rest.starts_with("0X")) {
      if (const auto address = number_of<u64>(rest, true)) {
        place_.address = address;
        return place_;
      }
    }
    const std::size_t mark = find_mark(rest, ";:+@%");
    const std::string head = unescape(rest.substr(0, mark));
    // A file name contains a dot, and a line or a pattern follows it.
    const std::size_t line_mark = find_mark(rest, ":;");
    const bool is_file = find_mark(rest.substr(0, line_mark), "+@%") == std::string_view::npos &&
                         line_mark != std::string_view::npos && head.find('.') != std::string::npos;
    (is_file ? place_.file : place_.function) = head;
    rest.remove_prefix(std::min(mark, rest.size()));
    while (!rest.empty()) PEREGRINE_TRY(take_part(rest));
    return check();
  }

 private:
  Result<> take_part(std::string_view& rest) {
    const char kind = rest.front();
    rest.remove_prefix(1);
    if (kind == ';') {
      place_.pattern = rest;
      if (rest.empty()) return bad(whole_, ";", "expected a pattern of the source line");
      rest = {};
      return {};
    }
    const std::size_t mark = find_mark(rest, ";:+@%");
    const std::string_view part = rest.substr(0, mark);
    rest.remove_prefix(std::min(mark, rest.size()));
    switch (kind) {
      case ':':
        return take_line(part);
      case '+':
        return take_offset(part);
      case '@':
        if (!place_.file.empty()) return bad(whole_, part, "duplicate source file");
        place_.file = unescape(part);
        if (place_.file.empty()) return bad(whole_, "@", "expected a source file");
        return {};
      default:
        if (part != "return") return bad(whole_, fmt::format("%{}", part), "only %return can follow a function");
        place_.is_return = true;
        return {};
    }
  }

  Result<> take_line(std::string_view part) {
    place_.has_line = true;
    const auto line = part.empty() ? std::optional<u32>(0) : number_of<u32>(part);
    if (!line) return bad(whole_, part, "not a line number");
    place_.line = *line;
    return {};
  }
  Result<> take_offset(std::string_view part) {
    const auto offset = number_of<u64>(part, true);
    if (!offset) return bad(whole_, part, "not an offset in bytes (such as 16 or 0x10)");
    place_.offset = *offset;
    return {};
  }

  Result<ProbePlace> check() {
    if (place_.function.empty() && place_.file.empty())
      return fail(ErrorKind::Usage, "probe definition '{}' has no function or source file", whole_);
    if (!place_.pattern.empty() && (place_.has_line || place_.offset != 0))
      return bad(whole_, place_.pattern, "a pattern cannot be combined with a line or an offset");
    if (place_.has_line && place_.offset != 0) return bad(whole_, "+", "a line cannot be combined with an offset");
    if (place_.is_return && (place_.has_line || place_.offset != 0 || !place_.pattern.empty()))
      return bad(whole_, "%return", "%return cannot be combined with an offset, a line or a pattern");
    if (place_.function.empty() && place_.pattern.empty() && place_.line == 0)
      return bad(whole_, place_.file, "a source file needs a line number (FILE:LINE) or a pattern (FILE;PATTERN)");
    return place_;
  }

  std::string_view whole_;
  ProbePlace place_;
};

// Parses the part after the variable: "->in.arr[2]".
Result<> parse_fields(std::string_view definition, std::string_view rest, std::vector<FieldStep>& fields) {
  while (!rest.empty()) {
    FieldStep step;
    if (rest.front() == '[') {
      const std::size_t end = rest.find(']');
      if (end == std::string_view::npos) return bad(definition, rest, "missing ']'");
      step.name = rest.substr(0, end + 1);
      step.index = number_of<i64>(rest.substr(1, end - 1), true);
      if (!step.index) return bad(definition, step.name, "an index must be a number");
      rest.remove_prefix(end + 1);
    } else {
      step.arrow = rest.starts_with("->");
      if (!step.arrow && rest.front() != '.') return bad(definition, rest, "expected ->, . or [");
      rest.remove_prefix(step.arrow ? 2 : 1);
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_word);
      step.name = std::string(rest.begin(), end);
      if (step.name.empty()) return bad(definition, rest, "missing member name");
      rest.remove_prefix(step.name.size());
    }
    fields.push_back(std::move(step));
  }
  return {};
}

Result<ProbeArgument> parse_argument(std::string_view word) {
  ProbeArgument argument;
  std::string_view rest = word;
  if (const std::size_t equals = rest.find('='); equals != std::string_view::npos) {
    argument.name = rest.substr(0, equals);
    if (!is_c_name(argument.name)) return bad(word, argument.name, "invalid field name: must be letters, digits, _");
    rest.remove_prefix(equals + 1);
  }
  if (rest.starts_with('(') && rest.find(')') != std::string_view::npos) {
    const std::size_t end = rest.find(')');
    argument.cast = trim(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
  }
  if (rest.ends_with("@user")) {
    argument.user = true;
    rest.remove_suffix(5);
  }
  const bool immediate = rest.starts_with('\\');
  if (const std::size_t colon = immediate ? std::string_view::npos : rest.rfind(':'); colon != std::string_view::npos) {
    // The "::" in a C++ name does not start a type.
    if (colon == 0 || rest[colon - 1] != ':') {
      argument.type = rest.substr(colon + 1);
      if (argument.type.empty()) return bad(word, ":", "expected a type (u8…u64, s8…s64, x8…x64, string, …)");
      rest = rest.substr(0, colon);
    }
  }
  if (rest.empty()) return bad(word, word, "nothing to fetch");
  if (std::isalpha(static_cast<unsigned char>(rest.front())) == 0 && rest.front() != '_') {
    if (!argument.cast.empty()) return bad(word, rest, "only a variable can be cast");
    argument.variable = rest;
    return argument;
  }
  const std::size_t end = std::min(rest.find_first_of(".[-"), rest.size());
  argument.variable = rest.substr(0, end);
  PEREGRINE_TRY(parse_fields(word, rest.substr(end), argument.fields));
  return argument;
}

Result<> take_event_name(std::string_view& first, ProbeDefinition& definition) {
  const std::size_t mark = find_mark(first, ";=@+%");
  if (mark == std::string_view::npos || first[mark] != '=') return {};
  std::string_view name = first.substr(0, mark);
  const std::string_view whole = first;
  first.remove_prefix(mark + 1);
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    definition.group = name.substr(0, colon);
    name.remove_prefix(colon + 1);
    if (!is_c_name(definition.group))
      return bad(whole, definition.group, "invalid group name: must be letters, digits, _");
  }
  definition.event = name;
  if (!is_c_name(name))
    return bad(whole, name, "invalid event name: must be letters, digits, _, and not start with a digit");
  return {};
}

// Accepts "%sdt_libc:setjmp", "sdt_libc:setjmp" and "%cached".
bool take_marker(std::string_view first, ProbeDefinition& definition) {
  const bool percent = first.starts_with('%');
  if (!percent && !(first.starts_with("sdt_") && first.find(':') != std::string_view::npos)) return false;
  if (percent) first.remove_prefix(1);
  const std::size_t colon = first.find(':');
  definition.is_marker = true;
  if (colon != std::string_view::npos) definition.group = first.substr(0, colon);
  definition.event = first.substr(colon == std::string_view::npos ? 0 : colon + 1);
  return true;
}

}  // namespace

bool is_c_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, is_word);
}

bool ProbeArgument::is_variable() const {
  return !variable.empty() &&
         (std::isalpha(static_cast<unsigned char>(variable.front())) != 0 || variable.front() == '_');
}

bool ProbeDefinition::has_field(std::string_view name) const {
  return std::ranges::any_of(arguments, [&](const ProbeArgument& argument) {
    if (!argument.name.empty()) return argument.name == name;
    return argument.variable == name && argument.fields.empty() && !argument.type.ends_with("string");
  });
}

std::string ProbeArgument::text() const {
  std::string result = cast.empty() ? variable : fmt::format("({}){}", cast, variable);
  for (const FieldStep& step : fields)
    result += step.index ? step.name : fmt::format("{}{}", step.arrow ? "->" : ".", step.name);
  if (!type.empty()) result += ':' + type;
  if (user) result += "@user";
  return result;
}

std::string ProbePlace::text() const {
  if (address) return fmt::format("{:#x}", *address);
  std::string result = function;
  if (offset != 0) result += fmt::format("+{}", offset);
  if (is_return) result += "%return";
  if (has_line && (line != 0 || function.empty()) && !function.empty()) result += fmt::format(":{}", line);
  if (!file.empty()) result += fmt::format("@{}", file);
  if (function.empty() && has_line) result += fmt::format(":{}", line);
  return result;
}

Result<ProbePlace> parse_probe_place(std::string_view text) { return PlaceParser(trim(text)).parse(); }

Result<ProbeDefinition> parse_probe(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty())
    return std::unexpected(Error{ErrorKind::Usage, "empty probe definition", "specify a function, such as 'malloc'"});
  ProbeDefinition definition;
  std::string_view first = words[0];
  PEREGRINE_TRY(take_event_name(first, definition));
  if (!take_marker(first, definition)) {
    auto place = PlaceParser(first).parse();
    if (!place) return std::unexpected(std::move(place.error()));
    definition.place = std::move(*place);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto argument = parse_argument(words[i]);
    if (!argument) return std::unexpected(std::move(argument.error()));
    definition.arguments.push_back(std::move(*argument));
  }
  return definition;
}

Result<LineRange> parse_line_range(std::string_view text) {
  text = trim(text);
  LineRange range;
  std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && colon > 0 && text[colon - 1] == ':') colon = std::string_view::npos;  // ns::f
  std::string_view head = text.substr(0, colon);
  const std::size_t at = head.find('@');
  if (at != std::string_view::npos) {
    range.function = head.substr(0, at);
    range.file = head.substr(at + 1);
  } else {
    (head.find('.') != std::string_view::npos ? range.file : range.function) = head;
  }
  if (head.empty()) return bad(text, text, "expected a function or source file before the lines");
  if (colon == std::string_view::npos) return range;
  const std::string_view lines = text.substr(colon + 1);
  const std::size_t mark = lines.find_first_of("+-");
  const auto first = number_of<u32>(lines.substr(0, mark));
  if (!first) return bad(text, lines, "not a line number");
  range.first = *first;
  if (mark == std::string_view::npos) return range;
  const auto second = number_of<u32>(lines.substr(mark + 1));
  if (!second) return bad(text, lines.substr(mark + 1), "not a line number");
  range.last = lines[mark] == '+' ? *first + std::max<u32>(*second, 1) - 1 : *second;
  if (*range.last < range.first) return bad(text, lines, "the last line is before the first");
  return range;
}

}  // namespace peregrine
