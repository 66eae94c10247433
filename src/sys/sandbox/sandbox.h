// Sandbox: restricts this process before it reads untrusted bytes. It may then only read, and write its declared
// outputs.
//
// Three layers, if the kernel supports them: fewer capabilities and no_new_privs, Landlock, seccomp with a broker for
// files; docs/sandbox.md explains each. Entered once, by a single-threaded process, and never left: threads and
// children that start later are inside as well.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file/read_failures.h"
#include "base/result.h"
#include "sys/sandbox/file_broker.h"

namespace peregrine {

struct SandboxPlan {
  std::vector<std::string> readable;  // files, and folders with everything below, in addition to the usual ones
  std::string home;                   // its keys and tokens are not readable; may be empty
  std::vector<std::string> outputs;   // see OutputGrants
  std::vector<std::string> devices;   // writable devices: terminals, pipes by name
  std::vector<std::string> programs;  // programs that may be started; they are confined too
  bool network = false;               // network access is allowed
  bool kernel_memory = false;         // /proc/kcore is readable, if the user may read it
  bool links = false;                 // symbolic links between outputs may be created
};

// The restrictions that a kernel offers, or that are in force.
struct SandboxWalls {
  int landlock = 0;  // version; 0: not available
  bool seccomp = false;
  bool broker = false;  // only the broker can change files
  bool any() const { return landlock > 0 || seccomp; }
};
// Returns what this kernel offers to this process. Changes nothing.
SandboxWalls available_walls();

class Sandbox {
 public:
  // Errors: Unsupported: nothing has changed. System: the process is partly confined and must not read on.
  static Result<Sandbox> enter(const SandboxPlan& plan);
  const SandboxWalls& walls() const { return walls_; }
  // Places that are hidden only because the machine failed to read them.
  const std::vector<ReadFailure>& hidden() const { return hidden_; }

 private:
  Sandbox() = default;

  SandboxWalls walls_;
  std::optional<FileBroker> broker_;
  std::vector<ReadFailure> hidden_;
};

}  // namespace peregrine
