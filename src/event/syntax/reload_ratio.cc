#include "event/syntax/reload_ratio.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "event/syntax_error.h"

namespace peregrine {

namespace {

namespace bit = abi::sample_bit;
namespace flag = abi::attr_flag;

bool has_fixed_period(const abi::EventAttr& attr) { return !attr.samples(bit::Period) && attr.sample_period != 0; }

void fix_period(abi::EventAttr& attr, double period) {
  attr.sample_period = static_cast<u64>(period);
  attr.set(flag::Freq, false);
  attr.sample_type &= ~bit::Period;
}

Result<> set_periods(EventSpec& before, EventSpec& spec) {
  const double ratio = *spec.terms.ratio_to_prev;
  const bool first_fixed = has_fixed_period(before.attr);
  if (!first_fixed && !has_fixed_period(spec.attr))
    return fail(ErrorKind::Usage, "Event period term or count (-c) must be set when using ratio-to-prev term");
  const double period = first_fixed ? static_cast<double>(before.attr.sample_period) * ratio
                                    : static_cast<double>(spec.attr.sample_period) / ratio;
  if (!(period >= 1 && period < 0x1p63))
    return fail(ErrorKind::Usage, "{}: ratio-to-prev={} gives a period of {}", spec.name, ratio, period);
  fix_period(first_fixed ? spec.attr : before.attr, period);
  return {};
}

}  // namespace

Parsed<void> check_reload(const EventSpec& spec, const Pmu* pmu, std::size_t column) {
  const PmuFormat* format = pmu == nullptr ? nullptr : pmu->format("acr_mask");
  const bool usable = format != nullptr && format->word == PmuFormat::Word::Config2 && format->ranges.size() == 1 &&
                      format->ranges[0].first == 0;
  if (usable) return {};
  SyntaxError error{column, "ratio-to-prev is not supported here"};
  error.hint = fmt::format("the PMU of '{}' cannot reload counters automatically (no acr_mask)", spec.name);
  return std::unexpected(std::move(error));
}

Result<> apply_reload_ratios(EventList& list) {
  constexpr std::size_t kMaskBits = 32;  // no PMU has more counters
  for (std::size_t i = 0; i < list.size(); ++i) {
    EventSpec& spec = list[i];
    if (!spec.terms.ratio_to_prev) continue;
    if (spec.leader == i)
      return fail(ErrorKind::Usage, "{}: Invalid use of ratio-to-prev term without preceding element in group",
                  spec.name);
    EventSpec& before = list[i - 1];
    if (before.pmu != spec.pmu || before.is_dummy() || before.is_tracepoint())
      return fail(ErrorKind::Usage, "{}: events with ratio-to-prev and the one before must have same PMU, not '{}'",
                  spec.name, before.name);
    const std::size_t index = i - spec.leader;
    if (index >= kMaskBits) return fail(ErrorKind::Usage, "{}: the group has too many events", spec.name);
    PEREGRINE_TRY(set_periods(before, spec));
    before.attr.config2 |= u64{1} << index;
    spec.attr.config2 |= u64{3} << (index - 1);
  }
  return {};
}

}  // namespace peregrine
