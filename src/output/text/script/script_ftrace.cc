#include "output/text/script/script_ftrace.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/kernel_names.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

u64 leading_field(const TraceFormat* format, std::string_view name, const ReplaySample& sample, ByteOrder order) {
  const TraceField* const field = format == nullptr ? nullptr : format->find(name);
  return field == nullptr ? 0 : number_of(*field, sample.sample.raw, order);
}

// Writes "d..2.": interrupts, need to reschedule, context, preemption depth, migration depth.
void put_state(ScriptText& out, u64 flags, u64 depths) {
  const auto has = [&](u64 bit) { return (flags & bit) != 0; };
  constexpr u64 kIrqsOff = 1, kNeedLazy = 2, kNeed = 4, kHardIrq = 8, kSoftIrq = 16, kNeedPreempt = 32, kNmi = 64,
                kBhOff = 128;
  out.put(has(kIrqsOff) ? (has(kBhOff) ? 'D' : 'd') : has(kBhOff) ? 'b' : '.');
  char need = '.';
  if (has(kNeed) && has(kNeedPreempt))
    need = has(kNeedLazy) ? 'B' : 'N';
  else if (has(kNeed))
    need = has(kNeedLazy) ? 'L' : 'n';
  else if (has(kNeedPreempt))
    need = has(kNeedLazy) ? 'b' : 'p';
  else if (has(kNeedLazy))
    need = 'l';
  out.put(need);
  if (has(kNmi))
    out.put(has(kHardIrq) ? 'Z' : 'z');
  else
    out.put(has(kHardIrq) ? (has(kSoftIrq) ? 'H' : 'h') : has(kSoftIrq) ? 's' : '.');
  for (const u64 depth : {depths & 15, depths >> 4 & 15}) {
    if (depth == 0)
      out.put('.');
    else
      out.put_hex(depth);
  }
}

}  // namespace

void FtraceWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  const PrintFormat* const print = event.format;
  const abi::Sample& sample = replayed.sample;
  std::string_view comm = resolver.comm(replayed.context);
  std::string safe;
  if (!is_printable(comm)) comm = safe = printable(comm);
  std::string_view name = event.bare_name;  // the kernel names tracepoints without their subsystem
  if (print != nullptr && name.find(':') != name.npos) name.remove_prefix(name.find(':') + 1);
  out.room(comm.size() + name.size() + 256);
  out.put_right(comm, 16);
  out.put('-');
  const std::size_t before = out.size();
  out.put_signed(static_cast<i32>(sample.tid));
  if (const std::size_t length = out.size() - before; length < 7) out.fill(' ', 7 - length);
  out.put(" [");
  out.put_decimal(sample.cpu, 3, '0');
  out.put("] ");
  const ByteOrder order = print == nullptr ? kHostOrder : print->order();
  put_state(out, leading_field(event.traced, "common_flags", replayed, order),
            leading_field(event.traced, "common_preempt_count", replayed, order));
  out.put(' ');
  out.put_decimal(sample.time / 1'000'000'000, 5);
  out.put('.');
  out.put_six_digits(static_cast<u32>(sample.time % 1'000'000'000 / 1000));
  out.put(": ");
  out.put(name);
  out.put(": ");
  if (print != nullptr) {
    KernelNames kernel(resolver, replayed.context);
    print->print(out, sample.raw, &kernel);
  } else if ((sample.fields & abi::sample_bit::Ip) != 0) {
    const Frame& frame = resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
    std::string words;
    append_symbol(words, resolver, frame, true);
    out.room(words.size());
    out.put(words);
  }
  out.room(64);
  out.put('\n');
}

}  // namespace peregrine
