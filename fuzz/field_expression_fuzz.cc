// Conditions, tables and line templates over fields: what is parsed is also evaluated.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/field/aggregation.h"
#include "analysis/field/expression.h"
#include "analysis/field/field_values.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/filter/filter_text.h"
#include "input.h"
#include "output/sink.h"
#include "output/text/format/line_template.h"
#include "output/text/script/aggregation_text.h"

namespace {

using namespace peregrine;

// Every name that begins with n is a number, with t a text, with m either; others are unknown.
class AnyFields : public FieldValues {
 public:
  AnyFields(const UsedFields& names, u64 round) : names_(names), round_(round) {}
  std::optional<i128> number(std::size_t field) const override {
    const std::string& name = names_.used()[field];
    if (name.front() == 't' || (name.size() + round_) % 5 == 0) return std::nullopt;
    const u64 bits = name.size() * 0x9e3779b97f4a7c15 * (round_ + 1);
    return round_ % 2 == 0 ? i128{bits} : i128{static_cast<i64>(bits)};  // of an unsigned or a signed field
  }
  bool append(std::string& out, std::size_t field) const override {
    out += fmt::format("{}{}", names_.used()[field], round_ % 3);
    return (field + round_) % 7 != 0;
  }

 private:
  const UsedFields& names_;
  u64 round_;
};

UsedFields any_names() {
  return UsedFields({.kind =
                         [](std::string_view name) {
                           if (name.starts_with('n')) return FieldForm::Number;
                           if (name.starts_with('t')) return FieldForm::Text;
                           return name.starts_with('m') ? FieldForm::Named : FieldForm::Unknown;
                         },
                     .all = [] { return std::vector<std::string>{"number", "text", "mixed"}; }});
}

}  // namespace

void peregrine::fuzz_field_expression(Bytes bytes) {
  constexpr u64 kRounds = 8;
  const std::string_view text = as_text(bytes);
  std::string out;
  {
    UsedFields names = any_names();
    const auto parsed = Expression::parse(text, names);
    if (!parsed) static_cast<void>(format_filter_error(text, parsed.error(), "--where"));
    for (u64 round = 0; parsed && round < kRounds; ++round) {
      const AnyFields values(names, round);
      // A condition that holds has a number.
      if (parsed->holds(values) && !parsed->number(values)) std::abort();
      static_cast<void>(parsed->append(out, values));
    }
  }
  {
    UsedFields names = any_names();
    if (const auto line = LineTemplate::parse(text, names))
      for (u64 round = 0; round < kRounds; ++round) line->append(out, AnyFields(names, round));
  }
  UsedFields names = any_names();
  auto plan = AggregationPlan::parse(text, names);
  if (!plan) return;
  Aggregation aggregation(std::move(*plan));
  for (u64 round = 0; round < kRounds; ++round) aggregation.add(AnyFields(names, round));
  Sink table;
  print_aggregation(aggregation, 1'000'000'000, table);
}
