#include "analysis/chart/io_calls.h"

#include <cerrno>
#include <cstddef>

#include "base/types.h"

namespace peregrine {

namespace {

enum EnterField : u8 { Descriptor, EpollDescriptor };
enum CallExitField : u8 { CallResult };

// sendmmsg and recvmmsg return a number of messages.
bool returns_bytes(const IoCall& call) {
  return call.kind != IoKind::Sync && call.kind != IoKind::Poll && !call.enter.ends_with("mmsg");
}

}  // namespace

std::vector<WantedTracepoint> wanted_io() {
  std::vector<WantedTracepoint> wanted;
  for (const IoCall& call : kIoCalls) {
    wanted.push_back({"syscalls", call.enter, {"fd", "epfd"}, 0});
    wanted.push_back({"syscalls", call.exit, {"ret"}});
  }
  return wanted;
}

void IoPairs::take(std::size_t which, const TracepointView& view, u64 time, u32 index, ChartTask& task) {
  if (open_.size() <= index) open_.resize(index + 1);
  std::optional<Open>& open = open_[index];
  const std::size_t call = which / 2;
  if (which % 2 == 0) {
    const bool polls = !view.has(Descriptor) && view.has(EpollDescriptor);
    open = Open{.call = call, .from = time};
    if (view.has(Descriptor) || polls)
      open->descriptor = static_cast<i32>(view.number(polls ? EpollDescriptor : Descriptor));
  } else if (open && open->call == call) {  // otherwise the call began before the recording
    end(task, *open, time, static_cast<i64>(view.number(CallResult)));
    open.reset();
  }
}

void IoPairs::end(ChartTask& task, const Open& open, u64 until, i64 result) {
  if (request_.skip_again && result == -EAGAIN) return;
  const IoCall& call = kIoCalls[open.call];
  IoSpan span{{open.from, until}, call.kind, open.descriptor};
  if (result < 0)
    span.error = -result;
  else if (returns_bytes(call))
    span.bytes = static_cast<u64>(result);
  if (call.kind == IoKind::Read || call.kind == IoKind::Receive) task.taken += span.bytes;
  if (call.kind == IoKind::Write || call.kind == IoKind::Send) task.given += span.bytes;
  if (!task.io.empty()) {
    IoSpan& last = task.io.back();
    if (last.kind == span.kind && last.descriptor == span.descriptor && last.error == span.error &&
        span.from <= last.until + request_.merge_distance) {
      last.until = until;
      last.bytes += span.bytes;
      ++last.calls;
      return;
    }
  }
  task.io.push_back(span);
}

void IoPairs::finish(u64 time, std::vector<ChartTask>& tasks) {
  for (u32 i = 0; i < open_.size(); ++i)
    if (open_[i]) end(tasks[i], *open_[i], time, 0);
  open_.clear();
}

}  // namespace peregrine
