// SideBand: the records other than the trace, in time order, and the trace of each processor.
//
// Filled while a program is traced; read by the code that writes the file. Times are in ns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/make_pt_data/intel_pt_processor.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {

// Ids shown in perf.data, not those of this machine: the same in each recording, and not those of any live process.
struct ThreadIds {
  int pid = 0, tid = 0;
};

// The position of its attr, except for PEBS records, which have the last one.
enum class SideBandEvent : std::uint8_t { IntelPt, Dummy, Switches, Pebs };

struct SideBandRecord {
  std::string name;
  SideBandEvent event = SideBandEvent::Dummy;
  unsigned cpu = 0;
  Fields fields;  // without the trailer's id
};

struct Recording {
  IntelPtOptions options;
  bool per_cpu = false;
  bool wide_switches = false;  // from all threads of a processor, as seen by a system-wide observer
  std::vector<std::string> command;
  VirtualClock clock;
  std::vector<TracedBranch> branches;
  std::vector<IntelPtProcessor> processors;
  std::vector<std::vector<std::byte>> traces;       // of the processors, once the program has ended
  std::vector<std::vector<std::size_t>> filled_at;  // offsets in each trace where its buffer was full
  std::vector<SideBandRecord> side_band;
  ThreadIds workload;

  void add(std::string name, SideBandEvent event, unsigned cpu, ThreadIds ids, Fields fields) {
    fields.insert_or_assign("time", clock.nanoseconds());
    fields.insert_or_assign("cpu", cpu);
    fields.insert_or_assign("pid", ids.pid);
    fields.insert_or_assign("tid", ids.tid);
    side_band.push_back({std::move(name), event, cpu, std::move(fields)});
  }
};

}  // namespace peregrine::support
