// enter_reader_sandbox(): confines this process before it reads a recording (docs/sandbox.md). ReaderNeeds says what a
// command reads, writes and starts; ReaderHome where this program and its user keep files. Main thread only.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/session_listener.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {

struct ReaderNeeds {
  std::vector<std::string> inputs = {};   // besides what is always readable; "": the default recording
  std::vector<std::string> outputs = {};  // see OutputGrants; "" and "-": none
  std::string objdump = {};               // "": none
  bool screen = false;                    // files that a screen saves, and scripts that it starts
  bool servers = false;                   // --debuginfod
  bool kernel_code = false;               // of the running kernel, from /proc/kcore
  bool links = false;                     // from one output to another
  bool programs = false;                  // it runs the user's code in this process: no sandbox
};

struct ReaderHome {
  std::string program;           // the file of this program
  std::string home;              // the user's home; empty: none
  std::string build_ids;         // the build-id cache; empty: none
  std::string own_cache;         // empty: none
  std::string temporary_folder;  // archives are unpacked into private folders below
  std::string servers_cache;     // where libdebuginfod keeps files; empty: none
};

// The default recording is named before: `needs.inputs` has no empty names, and `needs.objdump` is a path.
SandboxPlan sandbox_plan(const ReaderNeeds& needs, const ReaderHome& home);

// Keep the sandbox until the last file is written. Nothing if the kernel has none: a warning says what failed. Errors:
// the kernel has none although it is `required`; this process is half confined and must not read on. `unconfined`: see
// ReaderConfinement.
Result<std::optional<Sandbox>> enter_reader_sandbox(const SandboxPlan& plan, bool required,
                                                    const std::string& unconfined, SessionListener& listener);

}  // namespace peregrine
