// data_ctf: `data convert --to-ctf`: a recording as a folder of the Common Trace Format.
#pragma once
#include <string>
#include <string_view>

#include "cli/frame/command.h"

namespace peregrine::cmd {

// After Ctrl-C: how to get a part of the recording.
inline constexpr std::string_view kPartHint = "--time 0%-10% converts a part of the recording";

struct CtfOptions {
  std::string input, folder;
  std::string times = {};  // --time
  bool force = false, all = false, wall_clock = false;
};

// The exit code. Errors: what stands in the folder's place, what could not be written; of a broken recording, after the
// trace of what could be read was written.
Result<int> convert_to_ctf(const CtfOptions& options, Invocation& call);

}  // namespace peregrine::cmd
