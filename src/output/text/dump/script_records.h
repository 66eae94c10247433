// Side-band records as `script --show-…-events` writes them: "PERF_RECORD_MMAP2 12/12: [0x…(0x…) @ 0 fe:00 1 0]: r-xp
// /bin/ls\n". The text of each type is a row of record_text.
#pragma once
#include <string>
#include <string_view>

#include "abi/side_band.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// The text after comm, tid, cpu and time; a whole line for records not written by the kernel.
void put_side_band(ScriptText& out, const ReplaySideBand& record, std::string_view symbol = {});
// The location modified by a text poke, "name+0x5": RecordLine::symbol. Empty for other records.
std::string poked_symbol(const abi::SideBand* record, Moment moment, Resolver& resolver);

// The thread a record is about, which may differ from its trailer's.
struct RecordThread {
  u32 pid = ~0u, tid = ~0u;
};
RecordThread record_thread(const abi::SideBand& record);

}  // namespace peregrine
