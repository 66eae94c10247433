// A metric's formula: parsed, folded with some facts about a machine, and computed.
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/metric/expression.h"
#include "base/bytes.h"
#include "input.h"

void peregrine::fuzz_metric_expression(Bytes bytes) {
  const auto parsed = MetricExpression::parse(as_text(bytes), 3);
  if (!parsed) return;
  const MetricFacts facts{.literal = [](std::string_view name) -> std::optional<double> {
                            if (name.empty() || name[0] == 'u') return std::nullopt;
                            return static_cast<double>(name.size() % 3);
                          },
                          .has_event = [](std::string_view event) { return event.size() % 2 == 0; },
                          .is_cpu = [](std::string_view cpuid) { return cpuid.size() % 2 == 0; }};
  const auto folded = parsed->fold(facts);
  if (!folded) return;
  std::vector<IdValue> values;
  for (std::size_t i = 0; i < folded->names().size(); ++i) values.push_back({static_cast<double>(i) * 1e9, 1});
  if (folded->names().size() > parsed->names().size()) __builtin_trap();
  static_cast<void>(folded->evaluate(values));
}
