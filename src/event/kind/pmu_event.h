// PMU events: which PMUs a name selects, and how a PMU's formats map terms to bits of attr.config*.
#pragma once
#include <string_view>
#include <vector>

#include "event/source.h"
#include "event/spec.h"
#include "event/term.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

// The PMUs that "NAME/…/" selects: the one with that name, else all of NAME_0, NAME_1 … (uncore_ may be omitted), else
// those matching a glob.
std::vector<const Pmu*> matching_pmus(EventSources& sources, std::string_view name);

// Sets type, config*, CPUs, unit and scale of `spec` from a PMU and terms. Named events (the PMU's in /sys, generic
// ones of a core PMU, those of the processor model) are replaced by their terms; values are scattered over the format's
// bits and or-ed, as in linux-perf.
Parsed<void> apply_pmu_terms(EventSources& sources, const Pmu& pmu, const std::vector<Term>& terms, EventSpec& spec);

}  // namespace peregrine
