// ratio-to-prev=R: an event of a group that counts R times as often as the one before it is a sign of trouble, and only
// then the one before it is sampled (auto counter reload, linux 6.18; PMUs with the term acr_mask).
//
//   {instructions,cycles/period=100000,ratio-to-prev=0.5/}
//        period 200000 ◀── 100000 / 0.5     each counter's acr_mask (config2) names the members whose overflow reloads
//        it
#pragma once
#include "base/result.h"
#include "event/spec.h"
#include "event/term.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

// Errors: the PMU of the event has no acr_mask that fills config2. `pmu`: null when the machine has no such PMU.
Parsed<void> check_reload(const EventSpec& spec, const Pmu* pmu, std::size_t column);

// Sets periods and masks of all events with a ratio, when all else of their attrs is set. Errors (Usage): no event
// before it in its group, another PMU, no period to start from.
Result<> apply_reload_ratios(EventList& list);

}  // namespace peregrine
