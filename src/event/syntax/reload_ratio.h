// ratio-to-prev=R: samples an event only while the next one in its group counts at least R times as often, which is a
// sign of trouble (auto counter reload, linux 6.18; PMUs with the term acr_mask).
//
//   {instructions,cycles/period=100000,ratio-to-prev=0.5/}
//        period 200000 ◀── 100000 / 0.5     each counter's acr_mask (config2) names the members whose overflow reloads
//        it
#pragma once
#include <cstddef>

#include "base/result.h"
#include "event/spec.h"
#include "event/term.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

// Errors: the event's PMU has no acr_mask that fills config2. `pmu`: null if the machine has no such PMU.
Parsed<void> check_reload(const EventSpec& spec, const Pmu* pmu, std::size_t column);

// Sets periods and masks of all events with a ratio; call when the attrs are otherwise complete. Errors (Usage): no
// previous event in the group, another PMU, or no period to start from.
Result<> apply_reload_ratios(EventList& list);

}  // namespace peregrine
