// PMU events: which PMUs a name means, and how terms become the bits of attr.config* by a PMU's formats.
#pragma once
#include <string_view>
#include <vector>

#include "event/source.h"
#include "event/spec.h"
#include "event/term.h"

namespace peregrine {

// The PMUs that "NAME/…/" means: the one of that name, else all of NAME_0, NAME_1 … (uncore_ may be left out), else a
// glob.
std::vector<const Pmu*> matching_pmus(EventSources& sources, std::string_view name);

// Sets type, config*, CPUs, unit and scale of `spec` from a PMU and terms. Events that have a name (the PMU's own in
// /sys, generic ones of a core's PMU, those of the processor model) are replaced by their terms; values are scattered
// over the format's bits and or-ed, as linux-perf does.
Parsed<void> apply_pmu_terms(EventSources& sources, const Pmu& pmu, const std::vector<Term>& terms, EventSpec& spec);

}  // namespace peregrine
