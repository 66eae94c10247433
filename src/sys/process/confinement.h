// Confinement: restrictions of this process beyond the kernel's settings: seccomp, a container, a user namespace,
// lockdown, and a virtual machine, which may have no counters.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct Confinement {
  u32 euid = 0;
  enum class Seccomp { Off = 0, Strict = 1, Filter = 2 } seccomp = Seccomp::Off;
  std::string container;         // "docker", "podman", "lxc", …, "container"; empty if none was detected
  bool user_namespace = false;   // root here is not the machine's root
  bool virtual_machine = false;  // according to the processor
  std::string lockdown;          // "none", "integrity", "confidentiality"; empty if the kernel lacks lockdown
};
Confinement confinement(const Root& root);

// Soft and hard limit in a row of /proc/self/limits ("Max open files"); the largest u64 means unlimited.
struct ResourceLimit {
  u64 soft = 0, hard = 0;
};
std::optional<ResourceLimit> resource_limit(const Root& root, std::string_view row);

}  // namespace peregrine
