#include "output/text/format/line_template.h"

#include <fmt/format.h>

#include <expected>
#include <optional>
#include <utility>

#include "analysis/field/expression.h"
#include "base/number/wide_number.h"
#include "base/text/ascii.h"
#include "base/text/text_cursor.h"
#include "event/filter/filter_text.h"
#include "event/syntax_error.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {
constexpr u32 kWidest = 1000;

// Whether it is aligned as a number.
bool looks_numeric(std::string_view text) {
  return text.find_first_not_of("0123456789.-") == text.npos && text.find_first_of("0123456789") != text.npos;
}
}  // namespace

class TemplateParser : TextCursor {
 public:
  TemplateParser(std::string_view text, UsedFields& names) : TextCursor(text), names_(names) {}

  Parsed<LineTemplate> run() {
    while (!at_end()) {
      if (take("{{")) {
        part_.text += '{';
      } else if (take("}}")) {
        part_.text += '}';
      } else if (next_is("}")) {
        return wrong(at(), "unmatched '}'", "write }} for a brace");
      } else if (next_is("{")) {
        if (auto done = field(); !done) return std::unexpected(std::move(done.error()));
      } else if (take('\\')) {
        escape();
      } else {
        part_.text += take(std::size_t{1});
      }
    }
    if (!part_.text.ends_with('\n')) part_.text += '\n';
    made_.parts_.push_back(std::move(part_));
    return std::move(made_);
  }

 private:
  void escape() {
    const std::string_view next = take(std::size_t{1});
    if (next == "n")
      part_.text += '\n';
    else if (next == "t")
      part_.text += '\t';
    else if (next == "\\")
      part_.text += '\\';
    else
      part_.text.append("\\").append(next);
  }

  Parsed<void> field() {
    const std::size_t open = at();
    take('{');
    // A colon also separates the subsystem of an event: {sched:sched_switch.prev_pid:>6}.
    const std::string_view inside = rest().substr(0, rest().find('}'));
    if (inside.size() == rest().size()) return wrong(open, "unmatched '{'", "write {{ for a brace");
    std::size_t end = inside.rfind(':');
    std::string_view name = inside;
    if (names_.kind(inside) == FieldForm::Unknown && end != inside.npos) name = inside.substr(0, end);
    if (names_.kind(name) == FieldForm::Unknown) {
      if (name.empty()) return wrong(at(), "expected a field after '{'", "write {{ for a brace");
      return std::unexpected(unknown_field(name, at(), names_));
    }
    part_.has_field = true;
    part_.field = names_.index(name);
    take(name.size());
    if (take(':'))
      if (auto done = spec(); !done) return done;
    if (!take('}')) {
      return wrong(at(), fmt::format("invalid format '{}'", rest().substr(0, rest().find('}'))),
                   "a format is a width, a .length and a type (d, x, X, o, s): {pid:>6d}");
    }
    made_.parts_.push_back(std::exchange(part_, {}));
    return {};
  }

  Parsed<void> spec() {
    if (next_is("<") || next_is(">")) part_.align = take(std::size_t{1}).front();
    if (take('0')) part_.fill = '0';
    if (is_digit(peek()))
      if (auto done = number(part_.width); !done) return done;
    if (take('.'))
      if (auto done = number(part_.length); !done) return done;
    if (!at_end() && std::string_view("sdxXo").contains(peek())) part_.type = take(std::size_t{1}).front();
    return {};
  }

  Parsed<void> number(u32& taken) {
    const std::size_t start = at();
    const auto value = take_number<u32>();
    if (!value || *value > kWidest) return wrong(start, fmt::format("expected a number up to {}", kWidest));
    taken = *value;
    return {};
  }

  UsedFields& names_;
  LineTemplate made_;
  LineTemplate::Part part_;
};

Result<LineTemplate> LineTemplate::parse(std::string_view text, UsedFields& names) {
  auto parsed = TemplateParser(text, names).run();
  if (!parsed) return std::unexpected(format_filter_error(text, parsed.error(), "--format"));
  return std::move(*parsed);
}

void LineTemplate::append_field(std::string& out, const Part& part, const FieldValues& values) {
  std::string text;
  const std::optional<i128> number = values.number(part.field);
  if (part.type != 's' && number) {
    const auto bits = static_cast<u64>(*number);
    if (part.type == 'd') text = fmt::to_string(*number);
    if (part.type == 'x') text = fmt::format("{:x}", bits);
    if (part.type == 'X') text = fmt::format("{:X}", bits);
    if (part.type == 'o') text = fmt::format("{:o}", bits);
  } else {
    if (!values.append(text, part.field)) text = "-";
    text = printable(text);
  }
  const std::string_view shown = first_columns(text, part.length);
  const std::size_t width = display_width(shown);
  const std::size_t gap = part.width > width ? part.width - width : 0;
  const bool right = part.align == 0 ? part.type != 's' || looks_numeric(text) : part.align == '>';
  if (right) out.append(gap, part.fill);
  out += shown;
  if (!right) out.append(gap, ' ');
}

void LineTemplate::append(std::string& out, const FieldValues& values) const {
  for (const Part& part : parts_) {
    out += part.text;
    if (part.has_field) append_field(out, part, values);
  }
}

}  // namespace peregrine
