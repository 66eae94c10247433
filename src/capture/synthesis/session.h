// The records at the start of a recording that describe it: which ids belong to which event, CPU and thread, the
// target, and the relation between the kernel's clock and the cycle counter. Formats: docs/perf-data.md.
//
// A recording starts with these records (pipeline/recording/synthesis.cc):
//
//   1  clock, ids           session.h    always
//   2  kernel and modules   kernel.h     if an event sees the kernel
//   3  threads, CPUs        session.h    always
//   4  cgroups              cgroup.h     --all-cgroups
//   5  BPF programs         bpf.h        with CAP_BPF or CAP_SYS_ADMIN
//   6  processes            process.h    those of the target
#pragma once
#include <string>
#include <vector>

#include "abi/attr.h"
#include "abi/session_record.h"
#include "base/bytes.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

struct IdIndexEntry {
  u64 id = 0;
  u64 ring = 0;  // index of the ring buffer
  u64 cpu = 0;   // all ones: any
  u64 tid = 0;   // all ones: every thread
};
// ID_INDEX records, split to stay below the record size limit.
void synthesize_id_index(const std::vector<IdIndexEntry>& entries, ByteWriter& out);

struct ThreadMapEntry {
  i64 tid = -1;
  std::string comm;  // at most 15 bytes; "" if unknown
};
void synthesize_thread_map(const std::vector<ThreadMapEntry>& threads, ByteWriter& out);
// {-1} is "any CPU".
void synthesize_cpu_map(const CpuList& cpus, ByteWriter& out);
void synthesize_time_conversion(const RingClock& clock, ByteWriter& out);
void synthesize_finished_init(ByteWriter& out);
void synthesize_finished_round(ByteWriter& out);

// For `stat record`: its settings, one counter reading, and the end of a round of readings.
void synthesize_stat_config(const abi::StatConfigRecord& settings, ByteWriter& out);
void synthesize_stat(const abi::StatRecord& reading, ByteWriter& out);
void synthesize_stat_round(const abi::StatRoundRecord& round, ByteWriter& out);

// For `sched stats record`: a line of /proc/schedstat, encoded from its values.
void synthesize_schedstat(const abi::SchedstatRecord& line, ByteWriter& out);

// LOST_SAMPLES of one event on one CPU, from its counter's final read(2). The trailer has the event's id.
void synthesize_lost_samples(const abi::EventAttr& attr, u64 id, int cpu, u64 lost, ByteWriter& out);

}  // namespace peregrine
