// The lines of `sched map`, in linux-perf's layout: a column per CPU, '*' at the one that switched, '.' for idle, and
// an explanation of each new short name.
#pragma once
#include <vector>

#include "analysis/sched/switch_map.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct SwitchMapLook {
  std::vector<u32> colored_cpus, colored_tasks;  // ascending
  bool compact = false;
  bool all_names = false;  // name the next task at each switch
};
void print_switch(const SwitchMapRow& row, const SwitchMapLook& look, Sink& out);

}  // namespace peregrine
