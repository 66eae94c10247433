// Confinement: restrictions of this process beyond the kernel's settings: seccomp, a container, a user namespace,
// lockdown, and a virtual machine whose processor may have no counters.
#pragma once
#include <optional>
#include <string>

#include "sys/root.h"

namespace peregrine {

struct Confinement {
  u32 euid = 0;
  enum class Seccomp { Off = 0, Strict = 1, Filter = 2 } seccomp = Seccomp::Off;
  std::string container;         // "docker", "podman", "lxc", …, "container"; empty when none is seen
  bool user_namespace = false;   // root in here is not the machine's root
  bool virtual_machine = false;  // the processor says so
  std::string lockdown;          // "none", "integrity", "confidentiality"; empty where the kernel has no lockdown
};
Confinement confinement(const Root& root);

// Soft and hard limit of one row of /proc/self/limits ("Max open files"); the largest u64 is unlimited.
struct ResourceLimit {
  u64 soft = 0, hard = 0;
};
std::optional<ResourceLimit> resource_limit(const Root& root, std::string_view row);

}  // namespace peregrine
