// enter_reader_sandbox(): confines this process before it reads a recording (docs/sandbox.md). ReaderNeeds says what a
// command reads, writes and starts; ReaderHome says where this program and its user keep files. Main thread only.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/session_listener.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {

struct ReaderNeeds {
  std::vector<std::string> inputs = {};   // in addition to what is always readable; "": the default recording
  std::vector<std::string> outputs = {};  // see OutputGrants; "" and "-": none
  std::string objdump = {};               // "": none
  bool screen = false;                    // files saved by a screen, and scripts started by it
  bool servers = false;                   // --debuginfod
  bool kernel_code = false;               // the running kernel's code, from /proc/kcore
  bool links = false;                     // from one output to another
  bool programs = false;                  // runs the user's code in this process: no sandbox
};

struct ReaderHome {
  std::string program;           // this program's file
  std::string home;              // the user's home; empty: none
  std::string build_ids;         // the build-id cache; empty: none
  std::string own_cache;         // empty: none
  std::string temporary_folder;  // archives are unpacked into private folders below this
  std::string servers_cache;     // libdebuginfod's cache folder; empty: none
};

// Default recordings must be resolved first: `needs.inputs` has no empty names, and `needs.objdump` is a path.
SandboxPlan sandbox_plan(const ReaderNeeds& needs, const ReaderHome& home);

// Keep the sandbox until the last file is written. Nothing if the kernel does not support it; a warning says what
// failed. Errors: the kernel does not support it although it is `required`; this process is only partly confined and
// must not continue. `unconfined`: see ReaderConfinement.
Result<std::optional<Sandbox>> enter_reader_sandbox(const SandboxPlan& plan, bool required,
                                                    const std::string& unconfined, SessionListener& listener);

}  // namespace peregrine
