#include "event/filter/filter_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/ascii.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/filter/filter_scanner.h"
#include "event/syntax_error.h"

namespace peregrine {
namespace {

constexpr unsigned kDeepest = 64;  // nesting of parentheses and negations
constexpr std::string_view kNumberOperators = "numbers support == != < <= > >= and &";
constexpr std::string_view kStringOperators = "strings support == != ~ (glob) and !~";

enum class TestedKind { Number, String, CpuMask, Function, Unfit };

// A field that a filter can test.
struct Tested {
  std::string written;  // with the suffix for the kernel
  std::string name;
  TestedKind kind = TestedKind::Number;
  bool is_signed = false;
  unsigned size = 8;
};

struct Respelling {
  std::string_view wrong, right;
};
constexpr Respelling kMistakes[] = {{"===", "=="}, {"=>", ">="}, {"=<", "<="}, {"=~", "~"}, {"<>", "!="}};
constexpr std::string_view kFilterOperators[] = {"==", "!=", "~", "!~", "<=", ">=", "<", ">", "&"};

Tested tested(const TraceField& field) {
  Tested made{field.name, field.name, TestedKind::Number, field.is_signed, field.size};
  const bool dynamic = field.is_data_loc || field.is_rel_loc;
  if (field.is_string)
    made.kind = TestedKind::String;
  else if (dynamic && field.type.starts_with("cpumask"))
    made.kind = TestedKind::CpuMask;
  else if (field.is_array || (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8))
    made.kind = TestedKind::Unfit;
  return made;
}

bool fits(TestedKind kind, std::string_view op) {
  const bool glob = op == "~" || op == "!~", equal = op == "==" || op == "!=";
  switch (kind) {
    case TestedKind::String:
      return glob || equal;
    case TestedKind::Function:
      return equal;
    case TestedKind::CpuMask:
      return equal || op == "&";
    case TestedKind::Unfit:
      return false;
    case TestedKind::Number:
      break;
  }
  return !glob;
}

class FilterParser : FilterScanner {
 public:
  FilterParser(std::string_view text, const TraceFormat& format) : FilterScanner(text), format_(format) {}

  Parsed<std::string> run() {
    skip_blanks();
    if (at_end()) return wrong(0, "empty filter");
    if (auto done = any(); !done) return std::unexpected(std::move(done.error()));
    if (!at_end()) return std::unexpected(unexpected_here());
    return std::move(out_);
  }

 private:
  // The error for text where only &&, || or the end is valid.
  SyntaxError unexpected_here() const {
    const std::string_view word = see_word();
    if (next_is(")")) return {at(), "unmatched ')'", {}, {}};
    if (word == "and" || word == "or" || word == "AND" || word == "OR")
      return {at(), fmt::format("'{}' is not an operator", word), {}, "use && or ||"};
    if (next_is("&") || next_is("|"))
      return {at(), fmt::format("'{}' is not an operator", rest().substr(0, 1)), {}, "use && or ||"};
    for (const std::string_view op : kFilterOperators)
      if (next_is(op) && op != "&")
        return {
            at(), "unexpected operator after a test", {}, "a bit test takes no comparison: flags & 4, or !(flags & 4)"};
    return {at(), "expected && or ||", {}, {}};
  }

  Parsed<void> any() {
    if (auto done = all(); !done) return done;
    while (take_token("||")) {
      out_ += " || ";
      if (auto done = all(); !done) return done;
    }
    return {};
  }

  Parsed<void> all() {
    if (auto done = one(); !done) return done;
    while (take_token("&&")) {
      out_ += " && ";
      if (auto done = one(); !done) return done;
    }
    return {};
  }

  Parsed<void> one() {
    if (++depth_ > kDeepest) return wrong(at(), "nested too deeply");
    Parsed<void> done;
    const std::size_t open = at();
    if (take_token("!")) {
      out_ += '!';
      done = one();
    } else if (take_token("(")) {
      out_ += '(';
      done = any();
      if (done && at_end()) done = wrong(open, "unmatched '('");
      if (done && !take_token(")")) done = std::unexpected(unexpected_here());
      out_ += ')';
    } else {
      done = test();
    }
    --depth_;
    return done;
  }

  Parsed<void> test() {
    auto field = this->field();
    if (!field) return std::unexpected(std::move(field.error()));
    const std::size_t place = at();
    auto op = this->op(*field);
    if (!op) return std::unexpected(std::move(op.error()));
    skip_blanks();
    if (at_end() || next_is(")") || next_is("&&") || next_is("||"))
      return wrong(at(), fmt::format("expected a value after '{}'", *op));
    auto value = this->value(*field, *op, place);
    if (!value) return std::unexpected(std::move(value.error()));
    if (*op == "!~")
      out_ += fmt::format("!({} ~ {})", field->written, *value);
    else
      out_ += fmt::format("{} {} {}", field->written, *op, *value);
    skip_blanks();
    return {};
  }

  Parsed<std::string> value(const Tested& field, std::string_view op, std::size_t place) {
    switch (field.kind) {
      case TestedKind::String:
        return string_value();
      case TestedKind::CpuMask:
        return cpus_value();
      case TestedKind::Function:
        return std::string(bare_value());
      case TestedKind::Unfit:
        return wrong(place, fmt::format("'{}' is an array and cannot be compared", field.name));
      case TestedKind::Number:
        break;
    }
    return next_is("CPUS{") ? cpus_value() : number_value(field, op);
  }

  Parsed<Tested> field() {
    const std::size_t start = at();
    const std::string_view name = take_word();
    if (name.empty()) {
      if (at_end()) return wrong(at(), "expected a field at the end");
      return wrong(at(), fmt::format("expected a field before '{}'", rest().substr(0, 1)));
    }
    auto found = find(name, start);
    if (!found) return found;
    if (take('.')) {
      const std::string_view suffix = see_word();
      if (suffix == "function" && found->kind == TestedKind::Number) {
        found->kind = TestedKind::Function;
      } else if (suffix == "ustring") {
        found->kind = TestedKind::String;
      } else {
        return wrong(at() - 1, fmt::format("'{}' has no suffix '.{}'", name, suffix),
                     "use .ustring (a string in user space) or .function (an address by its function)");
      }
      take(suffix.size());
      found->written = fmt::format("{}.{}", name, suffix);
    }
    skip_blanks();
    return found;
  }

  Parsed<Tested> find(std::string_view name, std::size_t column) const {
    if (const TraceField* field = format_.find(name)) {
      Tested found = tested(*field);
      // A system call's argument points to user space; the kernel reads from there only with this suffix.
      if (field->is_string && field->is_pointer && format_.system == "syscalls") found.written += ".ustring";
      return found;
    }
    const auto of_all = [&](TestedKind kind, unsigned size) {
      return Tested{std::string(name), std::string(name), kind, false, size};
    };
    if (name == "cpu" || name == "CPU") return of_all(TestedKind::Number, 4);
    if (name == "comm" || name == "COMM") return of_all(TestedKind::String, 8);
    if (name == "stacktrace" || name == "STACKTRACE") return of_all(TestedKind::Number, 8);
    return std::unexpected(unknown_field(name, column));
  }

  SyntaxError unknown_field(std::string_view name, std::size_t column) const {
    std::vector<std::string_view> names;
    for (const auto* list : {&format_.fields, &format_.common})
      for (const TraceField& field : *list) names.push_back(field.name);
    std::string listed;
    for (const TraceField& field : format_.fields) listed += (listed.empty() ? "" : ", ") + field.name;
    for (const std::string_view name_of_all : {"cpu", "comm"}) names.push_back(name_of_all);
    SyntaxError error{column, fmt::format("{}:{} has no field '{}'", format_.system, format_.name, name), {}, {}};
    if (const auto near = nearest(name, names)) error.hint = fmt::format("did you mean '{}'?", *near);
    if (!listed.empty()) error.details = fmt::format("fields: {}; in every event: cpu, comm, common_pid", listed);
    return error;
  }

  Parsed<std::string_view> op(const Tested& field) {
    const std::string hint(field.kind == TestedKind::String ? kStringOperators : kNumberOperators);
    if (at_end() || next_is("&&") || next_is("||") || next_is(")"))
      return wrong(at(), fmt::format("expected an operator and a value after '{}'", field.name), hint);
    for (const auto& [bad, good] : kMistakes)
      if (next_is(bad))
        return wrong(at(), fmt::format("unknown operator '{}'", bad), fmt::format("did you mean '{}'?", good));
    if (next_is("=") && !next_is("==")) return wrong(at(), "unknown operator '='", "did you mean '=='?");
    const auto found = std::ranges::find_if(kFilterOperators, [&](std::string_view each) { return next_is(each); });
    if (found == std::end(kFilterOperators)) return wrong(at(), "expected an operator", hint);
    if (field.kind != TestedKind::Unfit && !fits(field.kind, *found)) {
      return wrong(at(),
                   fmt::format("'{}' is {} and does not support '{}'", field.name,
                               field.kind == TestedKind::String ? "a string" : "not a string", *found),
                   hint);
    }
    take(found->size());
    return *found;
  }

  // The rest of an unquoted value, up to a blank, a parenthesis, && or ||.
  std::string_view bare_value() {
    const std::size_t start = at();
    while (!at_end() && !is_blank(peek()) && peek() != '(' && peek() != ')' && !next_is("&&") && !next_is("||"))
      take(peek());
    return text().substr(start, at() - start);
  }

  Parsed<std::string> string_value() {
    const std::size_t start = at();
    std::string_view value;
    if (next_is("\"") || next_is("'")) {
      auto quoted = quoted_value();
      if (!quoted) return std::unexpected(std::move(quoted.error()));
      value = *quoted;
    } else {
      value = bare_value();
    }
    if (value.find('"') == value.npos) return fmt::format("\"{}\"", value);
    if (value.find('\'') == value.npos) return fmt::format("'{}'", value);
    return wrong(start, "strings cannot contain both kinds of quotes");
  }

  Parsed<std::string> cpus_value() {
    const std::size_t start = at();
    if (!next_is("CPUS{")) return wrong(start, "expected a CPU list", "write CPUS{0-3,8}");
    const auto end = text().find('}', at());
    if (end == text().npos) return wrong(start, "unterminated CPU list", "write CPUS{0-3,8}");
    move_to(end + 1);
    return std::string(text().substr(start, at() - start));
  }

  Parsed<std::string> number_value(const Tested& field, std::string_view op) {
    const std::size_t start = at();
    std::string_view text;
    if (next_is("\"") || next_is("'")) {
      auto quoted = quoted_value();
      if (!quoted) return std::unexpected(std::move(quoted.error()));
      text = trim(*quoted);
    } else {
      text = bare_value();
    }
    if (text.empty()) return wrong(start, fmt::format("expected a value after '{}'", op));
    if (const auto device = device_number(text)) return fmt::format("{:#x}", *device);
    if (takes_functions(field.name)) return std::string(text);
    const bool negative = text.front() == '-';
    const auto magnitude = parse_c_number<u64>(negative ? text.substr(1) : text);
    if (!magnitude) {
      if (const auto value = symbol_value(format_, field.name, text)) return fmt::format("{:#x}", *value);
      const TraceField* const known = format_.find(field.name);
      const bool named = known != nullptr && !known->enumerators.empty();
      return wrong(start,
                   fmt::format("'{}' is numeric; '{}' is {}", field.name, text,
                               named ? "neither a number nor one of its names" : "not a number"),
                   nearest_enumerator(field.name, text));
    }
    return fitted(field, op, text, negative, *magnitude, start);
  }

  // Since linux 3.12 the kernel resolves names and globs of functions in filters of ftrace:function.
  bool takes_functions(std::string_view field) const {
    return format_.system == "ftrace" && format_.name == "function" && (field == "ip" || field == "parent_ip");
  }

  std::string nearest_enumerator(std::string_view name, std::string_view text) const {
    const TraceField* field = format_.find(name);
    std::vector<std::string_view> names;
    if (field != nullptr)
      for (const Enumerator& enumerator : field->enumerators) names.push_back(enumerator.name);
    const auto near = nearest(text, names);
    return near ? fmt::format("did you mean '{}'?", *near) : std::string();
  }

  // Converts "8:0" to the kernel's device number: the major number is in the upper 12 bits.
  static std::optional<u64> device_number(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == text.npos) return std::nullopt;
    const auto major = to_number(text.substr(0, colon)), minor = to_number(text.substr(colon + 1));
    if (!major || !minor || *major > 0xfff || *minor > 0xfffff) return std::nullopt;
    return *major << 20 | *minor;
  }

  // The kernel truncates the value to the field's size before it compares, and it rejects a minus for unsigned fields.
  // Therefore out-of-range values are errors here, and negative ones are written as unsigned numbers.
  static Parsed<std::string> fitted(const Tested& field, std::string_view op, std::string_view text, bool negative,
                                    u64 magnitude, std::size_t column) {
    const unsigned bits = field.size * 8;
    const u64 largest = bits >= 64 ? std::numeric_limits<u64>::max() : (u64{1} << bits) - 1;
    const u64 half = largest / 2 + 1;
    if (magnitude > largest || (negative && magnitude > half))
      return wrong(column, fmt::format("{} does not fit in '{}' ({} bits)", text, field.name, bits));
    if (negative && !field.is_signed) {
      if (op != "==" && op != "!=" && op != "&")
        return wrong(column, fmt::format("'{}' cannot be negative", field.name));
      return fmt::format("{:#x}", (largest - magnitude + 1) & largest);
    }
    if (!negative && field.is_signed && bits >= 64 && magnitude >= half) return fmt::format("-{}", ~magnitude + 1);
    return std::string(text);
  }

  const TraceFormat& format_;
  std::string out_;
  unsigned depth_ = 0;
};

}  // namespace

std::string filter_operators(const TraceField& field) {
  const TestedKind kind = tested(field).kind;
  std::string listed;
  for (const std::string_view op : kFilterOperators)
    if (fits(kind, op)) listed += (listed.empty() ? "" : " ") + std::string(op);
  if (kind == TestedKind::CpuMask) listed += " (CPUS{…})";
  return listed.empty() ? "none" : listed;
}

Parsed<std::string> kernel_filter(std::string_view filter, const TraceFormat& format) {
  return FilterParser(filter, format).run();
}

Error format_filter_error(std::string_view filter, const SyntaxError& error, std::string_view what) {
  const std::string title = fmt::format("{} syntax error: '", what);
  std::string line(filter);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  const std::size_t column = title.size() + std::min(error.column, filter.size());
  Error result{ErrorKind::Usage, fmt::format("{}{}'\n{:{}}\\___ {}", title, line, "", column, error.what)};
  if (!error.details.empty()) result.message += "\n\n" + error.details;
  result.hint = error.hint;
  return result;
}

}  // namespace peregrine
