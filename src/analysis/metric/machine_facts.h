// What a metric's expression may ask of this machine: '#smt_on', '#num_cpus', whether an event is there, which CPU it
// is.
#pragma once
#include "analysis/metric/expression.h"
#include "event/kind/machine_number.h"
#include "event/source.h"

namespace peregrine {

// Borrows `sources` for as long as the answer is used. Literals: event/kind/machine_number.h.
MetricFacts machine_facts(EventSources& sources, const CountedCpus& counted);

// Is this the CPU that a table names? Arm's "0x410fd493" matches the same part of this revision or a later one.
bool is_same_cpu(std::string_view named, std::string_view running);

}  // namespace peregrine
