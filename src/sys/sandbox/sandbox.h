// Sandbox: restricts this process before it reads untrusted bytes: it may only read, and write its declared outputs.
//
// Three layers, if the kernel supports them: fewer capabilities and no_new_privs, Landlock, seccomp with a broker for
// files; docs/sandbox.md explains each. Entered once, by a single-threaded process, and never left: threads and
// children that start later are inside as well.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file/read_failures.h"
#include "sys/sandbox/file_broker.h"

namespace peregrine {

struct SandboxPlan {
  std::vector<std::string> readable;  // files, and folders with all beneath them; on top of what always is
  std::string home;                   // of which keys and tokens are not readable; empty: none
  std::vector<std::string> outputs;   // as OutputGrants says
  std::vector<std::string> devices;   // may be opened for writing: terminals, pipes by name
  std::vector<std::string> programs;  // may be started, and are inside as well
  bool network = false;               // may be used
  bool kernel_memory = false;         // /proc/kcore may be read, where the user may
  bool links = false;                 // symbolic links from one output to another may be made
};

// What a kernel offers, or what is in force.
struct SandboxWalls {
  int landlock = 0;  // its version; 0: none
  bool seccomp = false;
  bool broker = false;  // files are changed by the broker only
  bool any() const { return landlock > 0 || seccomp; }
};
// What this kernel offers this process; changes nothing.
SandboxWalls available_walls();

class Sandbox {
 public:
  // Errors: Unsupported: the process is as it was before. System: it is half confined, and must not read on.
  static Result<Sandbox> enter(const SandboxPlan& plan);
  const SandboxWalls& walls() const { return walls_; }
  // What the walls hide only since the machine failed to look at it.
  const std::vector<ReadFailure>& hidden() const { return hidden_; }

 private:
  Sandbox() = default;

  SandboxWalls walls_;
  std::optional<FileBroker> broker_;
  std::vector<ReadFailure> hidden_;
};

}  // namespace peregrine
