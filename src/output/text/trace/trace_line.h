// TraceLine: one system call as a line in linux-perf's form:
//
//      0.834 ( 0.012 ms): ls/25145 openat(dfd: CWD, filename: "/etc/ld.so.cache", flags: RDONLY|CLOEXEC)   = 3
//
// Times are milliseconds since the first call. One thread.
#pragma once
#include <optional>

#include "abi/arch/syscall.h"
#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_argument.h"

namespace peregrine {

struct TraceStyle {
  bool absolute_time = false;  // -T
  bool show_time = true, show_duration = true, show_thread = true, show_comm = true;
  bool show_names = true;   // of arguments
  bool show_zeros = false;  // arguments that are 0
  bool color = false;
  unsigned alignment = 70;  // column of results
};

class TraceLine {
 public:
  TraceLine(const Signatures& wide, const Signatures& narrow, TraceNames& names, const TraceStyle& style)
      : wide_(wide), narrow_(narrow), names_(names), style_(style) {}

  void put(ScriptText& out, const TracedCall& call);
  // A call still in progress when another thread makes one: no result.
  void put_interrupted(ScriptText& out, const TracedCall& call);
  // "dfd: CWD, filename: "/etc/passwd"": a call's arguments, for an event.
  void put_arguments(ScriptText& out, const TracedCall& call) { put_arguments(out, call, signature(call)); }
  // "     0.011 ( 0.004 ms): ls/1234 ": the start of each line. `duration` empty: unknown; without `durations` the
  // column is omitted.
  void put_head(ScriptText& out, std::optional<u64> start, std::optional<u64> duration, i32 tid, bool durations = true);
  // "0.011": the time in the line, and a duration, in ms.
  void put_time(ScriptText& out, u64 time) const;
  static void put_span(ScriptText& out, u64 ns);
  // The time that counts as zero, if not yet set.
  void begin_at(u64 time) {
    if (!base_) base_ = style_.absolute_time ? 0 : time;
  }
  const SyscallSignature& signature(const TracedCall& call) const {
    return (call.set == abi::SyscallSet::I386 ? narrow_ : wide_).of(call.number);
  }

 private:
  u64 since_base(u64 time) const {
    const u64 base = base_.value_or(0);
    return time > base ? time - base : 0;
  }
  void put_duration(ScriptText& out, std::optional<u64> duration);
  void put_call(ScriptText& out, const TracedCall& call, const SyscallSignature& signature);
  void put_arguments(ScriptText& out, const TracedCall& call, const SyscallSignature& signature);

  const Signatures& wide_;
  const Signatures& narrow_;
  TraceNames& names_;
  TraceStyle style_;
  std::optional<u64> base_;
};

}  // namespace peregrine
