// What a metric's expression can query about this machine: '#smt_on', '#num_cpus', whether an event exists, the CPU.
#pragma once
#include <string_view>

#include "analysis/metric/expression.h"
#include "event/kind/machine_number.h"
#include "event/source.h"

namespace peregrine {

// Borrows `sources` while the result is in use. Literals: event/kind/machine_number.h.
MetricFacts machine_facts(EventSources& sources, const CountedCpus& counted);

// Whether `running` is the CPU a table names. Arm's "0x410fd493" matches the same part at this or a later revision.
bool is_same_cpu(std::string_view named, std::string_view running);

}  // namespace peregrine
