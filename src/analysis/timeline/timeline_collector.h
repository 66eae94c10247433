// TimelineCollector: builds a Timeline from all samples of a recording, block by block.
//
//   each sample ─▶ an event, its fields, its stack
//   sched       ─▶ TaskStates         system calls, interrupts, block I/O ─▶ OpenSlices         power ─▶ steps
//
// Memory: what the blocks need packed, some 5 to 20 bytes per event, less what a TimelineBlockSink takes.
#pragma once
#include <bitset>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/arch/syscall.h"
#include "analysis/sched/sched_event.h"
#include "analysis/timeline/event_fields.h"
#include "analysis/timeline/event_role.h"
#include "analysis/timeline/open_slices.h"
#include "analysis/timeline/sample_stacks.h"
#include "analysis/timeline/task_states.h"
#include "analysis/timeline/timeline.h"
#include "base/container/string_pool.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct TimelineRequest {
  std::vector<std::string> names;       // of the recording's events
  std::size_t block_rows = 1U << 16;    // rows of a block
  std::size_t text_bytes = 32U << 20;   // of all distinct texts of fields
  TimelineBlockSink* blocks = nullptr;  // null: blocks stay in memory
};

class TimelineCollector : public SchedSink {
 public:
  // `reader` and the request's sink must outlive this.
  TimelineCollector(const data::Reader& reader, TimelineRequest request);

  void begin_batch() override;
  bool needs_samples_of(u32 event) const override;
  // Errors: broken formats, or no sample with a time.
  Result<> outcome() const override;
  std::bitset<128> records() const override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  // Call once, after the replay.
  Timeline finish();

 private:
  struct Type {
    std::optional<FieldReader> fields;
    RoleFields role;
    bool stacks = false, cgroups = false;
    u32 counted = 0;  // events in the current block
    std::vector<u64> values;
  };
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void learn_types();
  Type learn_type(std::size_t at);
  u64 now(const ReplaySample& sample);
  u32 task(u32 pid, u32 tid, std::string_view comm);
  u32 task_of(const ReplaySample& sample, Resolver& resolver);
  void rename(u32 task, std::string_view comm);
  u32 text(std::string_view text);
  u32 cgroup_of(u64 id);
  u32 device_of(u64 number);
  void read_fields(Type& type, const ReplaySample& sample, Resolver& resolver);
  void play_role(const Type& type, const ReplaySample& sample, u32 task, u64 time);
  void play_power(const RoleFields& role, const ReplaySample& sample, u64 time);
  void play_request(const RoleFields& role, const ReplaySample& sample, u64 time);
  u32 call_name(const RoleFields& role, const ReplaySample& sample);
  u32 interrupt_name(const RoleFields& role, const ReplaySample& sample);
  u64 number(const TraceField* field, const ReplaySample& sample) const;
  void begin_block();
  void end_block(u64 time);

  const data::Reader& reader_;
  TimelineRequest request_;
  Timeline timeline_;
  TimelineRows rows_;
  TaskStates states_;
  OpenSlices slices_;
  SampleStacks stacks_;
  TraceFormats formats_;
  bool has_formats_ = false;
  std::optional<Error> error_;
  std::vector<Type> types_;
  StringPool texts_;
  std::size_t text_bytes_ = 0;
  std::unordered_map<u32, u32> tasks_;    // by tid
  std::map<u64, u32> cgroups_, devices_;  // by their id in the kernel
  std::map<u64, std::string> cgroup_paths_;
  std::set<u32> cpus_;
  std::map<std::pair<u8, u32>, u64> values_;  // by step kind and CPU: the last one
  std::optional<u64> start_;
  u64 last_ = 0, block_first_ = 0;
  abi::SyscallSet calls_ = abi::SyscallSet::Unknown;
};

}  // namespace peregrine
