#include "event/filter/field_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "base/types.h"
#include "event/filter/filter_scanner.h"
#include "event/filter/filter_text.h"
#include "event/syntax_error.h"

namespace peregrine {
namespace {

// Parses the output of kernel_filter(), which has already validated it. The remaining check is that each test is of a
// number.
class FieldFilterParser : FilterScanner {
 public:
  FieldFilterParser(std::string_view asked, std::string_view written, const TraceFormat& format)
      : FilterScanner(written), asked_(asked), format_(format) {}

  Parsed<std::vector<sample_filter_step>> run() {
    skip_blanks();
    if (auto done = joined("||", kFilterOr); !done) return std::unexpected(std::move(done.error()));
    if (steps_.size() > kFilterSteps)
      return wrong(0, fmt::format("more than {} tests and operators", int{kFilterSteps}));
    return std::move(steps_);
  }

 private:
  void push(sample_filter_op op) { steps_.push_back({.op = static_cast<u16>(op)}); }

  Parsed<void> joined(std::string_view joint, sample_filter_op op) {
    const auto part = [&] { return op == kFilterOr ? joined("&&", kFilterAnd) : one(); };
    if (auto done = part(); !done) return done;
    while (take_token(joint)) {
      if (auto done = part(); !done) return done;
      push(op);
    }
    return {};
  }

  Parsed<void> one() {
    if (take_token("!")) {
      auto done = one();
      if (done) push(kFilterNot);
      return done;
    }
    if (!take_token("(")) return test();
    auto done = joined("||", kFilterOr);
    if (done) take_token(")");
    return done;
  }

  Parsed<void> test() {
    const std::string_view name = take_word();
    skip_blanks();
    const auto op = std::ranges::find_if(kComparisons, [&](const Comparison& each) { return next_is(each.name); });
    sample_filter_step step{};
    if (op == std::end(kComparisons) || !place(name, step)) return no_number(name);
    take_token(op->name);
    std::string_view text = take_while([](char c) { return !is_blank(c) && c != ')'; });
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const auto value = parse_c_number<u64>(text);
    if (!value) return no_number(name);
    skip_blanks();
    step.op = static_cast<u16>(op->op);
    // Truncates the value to the field's size, as the kernel does.
    step.value = (negative ? ~*value + 1 : *value) << step.shift;
    step.value =
        step.bits != 0 ? static_cast<u64>(static_cast<i64>(step.value) >> step.shift) : step.value >> step.shift;
    steps_.push_back(step);
    return {};
  }

  bool place(std::string_view name, sample_filter_step& step) const {
    // BPF programs do not see the common fields.
    if (name == "cpu" || name == "CPU" || name == "common_pid") {
      step.part = name == "common_pid" ? kFieldPid : kFieldCpu;
      step.shift = 32;
      return true;
    }
    const auto field = std::ranges::find(format_.fields, name, &TraceField::name);
    if (field == format_.fields.end() || field->is_string || field->is_array || field->offset >= kFieldPid)
      return false;
    if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8) return false;
    step.part = static_cast<u16>(field->offset);
    step.shift = static_cast<u8>(64 - field->size * 8);
    step.bits = field->is_signed ? 1 : 0;
    return true;
  }

  std::unexpected<SyntaxError> no_number(std::string_view name) const {
    const auto column = asked_.find(name);
    return wrong(column == asked_.npos ? 0 : column, "--hist filters run in the kernel and can test only numbers",
                 "record the event with this filter, then use 'perf script --hist'");
  }

  std::string_view asked_;
  const TraceFormat& format_;
  std::vector<sample_filter_step> steps_;
};

}  // namespace

Parsed<std::vector<sample_filter_step>> parse_field_filter(std::string_view filter, const TraceFormat& format) {
  const auto written = kernel_filter(filter, format);
  if (!written) return std::unexpected(written.error());
  return FieldFilterParser(filter, *written, format).run();
}

}  // namespace peregrine
