// Information from hardware trace decoders in `script`: branch flags, and events of the trace (psb, cbr, ptwrite,
// power). Text, order and widths are linux-perf 6.1's.
#pragma once
#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "output/text/format/script_text.h"

namespace peregrine {

inline bool is_traced(const abi::Sample& sample) { return (sample.fields & abi::sample_bit::Traced) != 0; }

// -F flags: "  tr end  syscall         ", 24 columns.
void put_branch_flags(ScriptText& out, u32 flags);

// -F synth: " cbr: 20 freq: 2000 MHz (100%)    ", at least 34 columns.
void put_decoded(ScriptText& out, abi::DecodedEvent event, Bytes raw);

}  // namespace peregrine
