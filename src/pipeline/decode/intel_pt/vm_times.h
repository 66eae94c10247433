// vm_times: replaces guests' times in Intel PT traces by the host's (`inject --vm-time-correlation`).
//
//   [dry-run] [OFFSET[:VMCS[,VMCS]...]]...        VMCS: a page number, as in PT packets
//
// Changes the file in place: 7 bytes of each guest TSC packet. Writes nothing unless all guests' offsets are known and
// consistent with the trace. Host times are left unchanged, so a second run changes nothing, and a run after a killed
// one completes it. Signals are deferred until writing ends.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"

namespace peregrine {

struct VmTimeOptions {
  bool dry_run = false;
  struct Offset {
    u64 ticks = 0;
    std::vector<u64> vmcs;  // empty: all others
  };
  std::vector<Offset> offsets;
};
Result<VmTimeOptions> parse_vm_time_options(std::string_view text);

struct VmTimes {
  struct Guest {
    u64 vmcs = 0;
    u64 ticks = 0;              // guest TSC minus host TSC
    bool is_converted = false;  // its times are already the host's, and an offset was given
  };
  std::vector<Guest> guests;        // guests with offsets found in the trace, by VMCS
  std::vector<std::string> errors;  // why nothing was written
  u64 packets = 0;                  // guests' TSC packets
};

// `file`: the recording, open for writing; unused in a dry run. Errors: no Intel PT trace, reading, writing.
Result<VmTimes> correlate_vm_times(const data::Reader& reader, const VmTimeOptions& options, int file);

}  // namespace peregrine
