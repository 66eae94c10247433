// What a metric's expression may ask of this machine: '#smt_on', '#num_cpus', whether an event is there, which CPU it
// is.
#pragma once
#include "analysis/metric/expression.h"
#include "event/source.h"
#include "sys/cpu.h"

namespace peregrine {

struct CountedCpus {
  bool system_wide = false;
  CpuList chosen;  // -C; empty: all
};

// Borrows `sources` for as long as the answer is used. Literals: smt_on, core_wide (everything that runs on a core is
// counted), num_cpus (present), num_cpus_online, num_cores, num_dies, num_packages, slots (Arm: issue slots a cycle),
// system_tsc_freq (Hz), has_pmem.
MetricFacts machine_facts(EventSources& sources, const CountedCpus& counted);

// Is this the CPU that a table names? Arm's "0x410fd493" matches the same part of this revision or a later one.
bool is_same_cpu(std::string_view named, std::string_view running);

}  // namespace peregrine
