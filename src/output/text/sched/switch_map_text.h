// The lines of `sched map`, in linux-perf's layout: a column per CPU, '*' at the one that switched, '.' for idle, and
// who the new short name stands for.
#pragma once
#include <vector>

#include "analysis/sched/switch_map.h"
#include "output/sink.h"

namespace peregrine {

struct SwitchMapLook {
  std::vector<u32> colored_cpus, colored_tasks;  // ascending
  bool compact = false;
  bool all_names = false;  // say at each switch who comes
};
void print_switch(const SwitchMapRow& row, const SwitchMapLook& look, Sink& out);

}  // namespace peregrine
