#include "analysis/sched/sched_event.h"

#include <bit>
#include <cstddef>
#include <expected>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/print/print_names.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

// Indices into the field lists below: of sched_switch, and of all other events.
enum SwitchField : u8 { LeavesTid, ComesTid, LeavesState, LeavesComm, ComesComm, LeavesPriority, ComesPriority };
enum TaskField : u8 { TaskTid, TaskSecond, TaskComm, TaskPriority, TaskSource, TaskFlags = TaskSource };
// Bits of common_flags: hard interrupt, softirq.
constexpr u64 kInterrupting = 0x18;

std::vector<WantedTracepoint> wanted_sched(std::vector<WantedTracepoint> more) {
  std::vector<WantedTracepoint> all = {
      {"sched",
       "sched_switch",
       {"prev_pid", "next_pid", "prev_state", "prev_comm", "next_comm", "prev_prio", "next_prio"},
       3},
      {"sched", "sched_wakeup", {"pid", "success", "comm", "prio", "common_flags"}},
      {"sched", "sched_waking", {"pid", "success", "comm", "prio", "common_flags"}},
      {"sched", "sched_wakeup_new", {"pid", "success", "comm", "prio", "common_flags"}},
      {"sched", "sched_migrate_task", {"pid", "dest_cpu", "comm", "prio", "orig_cpu"}, 2},
      {"sched", "sched_stat_runtime", {"pid", "runtime", "comm"}, 2},
  };
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

// Letters of prev_state bits, for formats that do not name them (include/linux/sched.h, since linux 4.14).
constexpr std::string_view kStates = "SDTtXZPI";

}  // namespace

SchedSink::SchedSink(const data::Reader& reader, std::vector<WantedTracepoint> more)
    : TracepointSink(reader, wanted_sched(std::move(more))) {}

void SchedSink::happened_beside(std::size_t, const TracepointView&, const ReplaySample&, Resolver&) {}

// The letter of the lowest set bit; the kernel's own print format takes precedence.
char SchedSink::letter_of(u64 state) {
  const u64 bits = state & 0xff;
  if (bits == 0) return 'R';
  char& letter = letters_[bits];
  if (letter != 0) return letter;
  const u64 lowest = bits & (~bits + 1);
  const PrintNames* const names = tracepoints().names_of(static_cast<std::size_t>(SchedKind::Switch), "prev_state");
  const std::string text = names == nullptr ? std::string() : names->text(lowest);
  const bool is_letter = text.size() == 1 && text[0] >= 'A';
  letter = is_letter ? text[0] : kStates[static_cast<std::size_t>(std::countr_zero(lowest))];
  return letter;
}

bool SchedSink::needs_samples_of(u32 event) const {
  const auto which = tracepoints().which(event);
  return which && (*which >= kSchedKinds || needs(static_cast<SchedKind>(*which)));
}

void SchedSink::take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  if (view.which >= kSchedKinds) return happened_beside(view.which - kSchedKinds, view, sample, resolver);
  SchedEvent event;
  event.kind = static_cast<SchedKind>(view.which);
  if (!needs(event.kind)) return;  // with a filter, every sample arrives
  event.time = sample.sample.time;
  event.cpu = sample.sample.cpu;
  event.pid = sample.sample.pid;
  event.tid = sample.sample.tid;
  if (event.kind == SchedKind::Switch) {
    event.task = static_cast<u32>(view.number(LeavesTid));
    event.comm = view.text(LeavesComm);
    event.next = static_cast<u32>(view.number(ComesTid));
    event.next_comm = view.text(ComesComm);
    event.state = letter_of(view.number(LeavesState));
    event.priority = static_cast<i64>(view.number(LeavesPriority));
    event.next_priority = static_cast<i64>(view.number(ComesPriority));
    return happened(event, sample, resolver);
  }
  event.task = static_cast<u32>(view.number(TaskTid));
  event.comm = view.text(TaskComm);
  event.priority = static_cast<i64>(view.number(TaskPriority));
  if (event.kind == SchedKind::Migrate) {
    event.from_cpu = static_cast<u32>(view.number(TaskSource));
    event.to_cpu = static_cast<u32>(view.number(TaskSecond));
  } else if (event.kind == SchedKind::Runtime) {
    event.runtime = view.number(TaskSecond);
  } else if (view.has(TaskSecond) && view.number(TaskSecond) == 0) {
    return;  // kernels before 4.3 also reported failed wake-ups
  } else {
    event.interrupting = (view.number(TaskFlags) & kInterrupting) != 0;
  }
  happened(event, sample, resolver);
}

Result<> SchedSink::outcome() const {
  PEREGRINE_TRY(TracepointSink::outcome());
  if (has(SchedKind::Switch)) return {};
  return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no scheduler switches"}.with_hint(
      "record with `perf sched record`: sched:sched_switch is missing"));
}

}  // namespace peregrine
