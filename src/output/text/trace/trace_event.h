// Events between a trace's system calls: tracepoints with their fields, page faults, call chains.
#pragma once
#include <span>

#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"
#include "machine/resolver/resolver.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_argument.h"

namespace peregrine {

// "prev_comm: "sleep", prev_pid: 18344 (sleep), prev_prio: 120": the non-zero fields of a record. `print`: names values
// ("gfp_flags: GFP_KERNEL"); may be null. `enums`: by field, names of enum values ("mode: HRTIMER_MODE_ABS"), also
// shown for 0.
void put_fields(ScriptText& out, TraceNames& names, const TraceFormat& format, const PrintFormat* print,
                std::span<const PrintNames> enums, Bytes raw, ByteOrder order);
// "[brk+0x0] => /usr/lib/ld.so@0x1fc40 (d.)": where a page fault was, and the page.
void put_fault(ScriptText& out, Resolver& resolver, const Resolver::Context& context, const abi::Sample& sample);
// One frame per line: "main (/usr/bin/true)".
void put_chain(ScriptText& out, Resolver& resolver, std::span<const FrameId> frames, std::span<const u64> ips);

}  // namespace peregrine
