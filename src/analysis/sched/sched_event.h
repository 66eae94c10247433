// SchedEvent: what the scheduler's tracepoints say, as values: who left a CPU and who came, who was woken, moved and
// made.
//
// Texts are borrowed from the sample.
#pragma once
#include <map>
#include <string_view>

#include "analysis/field/recorded_tracepoints.h"

namespace peregrine {

// In the order in which SchedSink wants their tracepoints.
enum class SchedKind : u8 { Switch, Wakeup, Waking, NewTask, Migrate, Runtime };
inline constexpr std::size_t kSchedKinds = 6;

struct SchedEvent {
  SchedKind kind = SchedKind::Switch;
  u64 time = 0;  // ns
  u32 cpu = 0;   // where it happened
  u32 pid = 0, tid = 0;
  u32 task = 0;           // the tid it is about; of a Switch: who leaves
  std::string_view comm;  // of that task, as the kernel knew it
  u32 next = 0;           // Switch: who comes
  std::string_view next_comm;
  char state = 'R';  // Switch: what becomes of who leaves, as the kernel's own letter; R can go on at once
  i64 priority = 0, next_priority = 0;
  u32 from_cpu = 0, to_cpu = 0;  // Migrate
  u64 runtime = 0;               // Runtime: ns since the last one
  bool interrupting = false;     // an interrupt or softirq did it, not the task that ran
};

// What all analyses of the scheduler are: sinks that are given its events, in order of time.
class SchedSink : public TracepointSink {
 public:
  // `more`: what an analysis wants beside the scheduler's.
  explicit SchedSink(const data::Reader& reader, std::vector<WantedTracepoint> more = {});

  // An error of the formats, or that there was no event of the scheduler at all.
  Result<> outcome() const override;

 protected:
  virtual void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) = 0;
  // A sample of the tracepoint more[which].
  virtual void happened_beside(std::size_t which, const TracepointView& view, const ReplaySample& sample,
                               Resolver& resolver);
  bool has(SchedKind kind) const { return tracepoints().has(static_cast<std::size_t>(kind)); }
  bool has_beside(std::size_t which) const { return tracepoints().has(kSchedKinds + which); }

 private:
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  char letter_of(u64 state);

  std::map<u64, char> letters_;  // of states that were seen
};

}  // namespace peregrine
