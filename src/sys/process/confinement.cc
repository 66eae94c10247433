#include "sys/process/confinement.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/text/bracketed.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Returns "2" for "Seccomp:\t2", or an empty string if the row is missing.
std::string_view row_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(key)) return trim(line.substr(key.size()));
  }
  return {};
}

// The initial pid namespace has this inode on every kernel. A process in it is not in a container, even if an image
// left its marker file in /.
constexpr std::string_view kFirstPidNamespace = "pid:[4026531836]";

std::string container_of(const Root& root) {
  if (root.link("/proc/self/ns/pid") == kFirstPidNamespace) return {};
  if (root.exists("/run/.containerenv")) return "podman";
  if (root.exists("/.dockerenv")) return "docker";
  if (const auto named = root.line("/run/systemd/container")) return *named;
  const std::string cgroups = root.read("/proc/self/cgroup").value_or("");
  for (const char* kind : {"docker", "libpod", "kubepods", "lxc"})
    if (cgroups.find(kind) != std::string::npos) return kind == std::string_view("libpod") ? "podman" : kind;
  return {};
}

}  // namespace

Confinement confinement(const Root& root) {
  Confinement found;
  const std::string status = root.read("/proc/self/status").value_or("");
  const std::string uids(row_of(status, "Uid:"));
  const auto effective = trim(std::string_view(uids).substr(std::min(uids.find_first_of(" \t"), uids.size())));
  found.euid = static_cast<u32>(to_number(effective.substr(0, effective.find_first_of(" \t"))).value_or(0));
  found.seccomp =
      static_cast<Confinement::Seccomp>(std::min<u64>(to_number(row_of(status, "Seccomp:")).value_or(0), 2));
  found.container = container_of(root);
  // The initial user namespace has the map "0 0 4294967295".
  if (const auto map = root.line("/proc/self/uid_map")) found.user_namespace = map->find("4294967295") == map->npos;
  const std::string flags(row_of(root.read("/proc/cpuinfo").value_or(""), "flags"));
  found.virtual_machine = flags.find(" hypervisor") != std::string::npos || root.exists("/sys/hypervisor/type");
  found.lockdown = bracketed(root.line("/sys/kernel/security/lockdown").value_or(""));
  return found;
}

std::optional<ResourceLimit> resource_limit(const Root& root, std::string_view row) {
  const std::string text = root.read("/proc/self/limits").value_or("");
  std::string_view values = row_of(text, row);
  const auto next = [&]() -> u64 {
    const auto word = values.substr(0, values.find(' '));
    values = trim(values.substr(word.size()));
    return to_number(word).value_or(std::numeric_limits<u64>::max());
  };
  if (values.empty()) return std::nullopt;
  const u64 soft = next();
  return ResourceLimit{soft, next()};
}

}  // namespace peregrine
