// SchedEvent: the scheduler's tracepoints as values: switches, wake-ups, migrations, and new tasks.
//
// Texts borrow from the sample.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// In the order of SchedSink's tracepoints.
enum class SchedKind : u8 { Switch, Wakeup, Waking, NewTask, Migrate, Runtime };
inline constexpr std::size_t kSchedKinds = 6;

struct SchedEvent {
  SchedKind kind = SchedKind::Switch;
  u64 time = 0;  // ns
  u32 cpu = 0;   // where it occurred
  u32 pid = 0, tid = 0;
  u32 task = 0;           // the affected tid; for a Switch the previous task
  std::string_view comm;  // that task's name in the kernel
  u32 next = 0;           // Switch: the next task
  std::string_view next_comm;
  char state = 'R';  // Switch: the previous task's new state as the kernel's letter; R is still runnable
  i64 priority = 0, next_priority = 0;
  u32 from_cpu = 0, to_cpu = 0;  // Migrate
  u64 runtime = 0;               // Runtime: ns since the previous one
  bool interrupting = false;     // caused by an interrupt or softirq, not by the running task
};

// Base of all scheduler analyses: a sink that receives its events in time order.
class SchedSink : public TracepointSink {
 public:
  // `more`: additional tracepoints the analysis needs.
  explicit SchedSink(const data::Reader& reader, std::vector<WantedTracepoint> more = {});

  bool needs_samples_of(u32 event) const override;
  // Errors: broken formats, or no scheduler events at all.
  Result<> outcome() const override;

 protected:
  // Whether happened() needs events of this kind; others are not even decoded.
  virtual bool needs(SchedKind) const { return true; }
  virtual void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) = 0;
  // A sample of tracepoint more[which].
  virtual void happened_beside(std::size_t which, const TracepointView& view, const ReplaySample& sample,
                               Resolver& resolver);
  bool has(SchedKind kind) const { return tracepoints().has(static_cast<std::size_t>(kind)); }
  bool has_beside(std::size_t which) const { return tracepoints().has(kSchedKinds + which); }

 private:
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  char letter_of(u64 state);

  std::array<char, 256> letters_{};  // by state; 0: not seen yet
};

}  // namespace peregrine
