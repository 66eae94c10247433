// vm_times: the times in Intel PT traces of guests, put in place of the host's (`inject --vm-time-correlation`).
//
//   [dry-run] [OFFSET[:VMCS[,VMCS]...]]...        VMCS: a page number, as PT packets tell it
//
// The file is changed where it is: 7 bytes of each TSC packet of a guest. Nothing is written unless the offset of every
// guest is known, and none is another one than the trace tells. Times that are the host's already stay as they are, so
// that a second run changes nothing, and one after a run that was killed changes the rest. Signals wait for the end of
// the writing.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/reader/reader.h"
#include "pipeline/decode/trace/recorded_traces.h"

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
    u64 ticks = 0;              // its TSC minus the host's
    bool is_converted = false;  // its times are the host's already, and an offset was given
  };
  std::vector<Guest> guests;        // whose offset the trace tells, by VMCS
  std::vector<std::string> errors;  // why nothing was written
  u64 packets = 0;                  // TSC packets of guests
};

// `file`: the recording, open for writing; not used in a dry run. Errors: there is no Intel PT trace, reading, writing.
Result<VmTimes> correlate_vm_times(const data::Reader& reader, const VmTimeOptions& options, int file);

}  // namespace peregrine
