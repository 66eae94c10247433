// Control groups: the mount point of the hierarchy that perf events use.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

// Returns version 1's perf_event controller, else the unified hierarchy, or "" if neither is mounted.
std::string cgroup_mount(const Root& root);

// A control group of the unified hierarchy, as identified by BPF programs.
struct UnifiedCgroup {
  u64 id = 0;
  u32 level = 0;  // below the root group
};
// Errors: NotFound; Unsupported if that hierarchy is not mounted.
Result<UnifiedCgroup> unified_cgroup(const Root& root, std::string_view name);
// Returns the group's folder. Errors: as unified_cgroup().
Result<std::string> unified_cgroup_folder(const Root& root, std::string_view name);
// Returns "/user.slice/session-1" for an id, or an empty string if the group does not exist (any more).
std::string unified_cgroup_name(const Root& root, u64 id);

// Whether `words` contains a character with a special meaning in regular expressions.
bool is_cgroup_pattern(std::string_view words);
// Returns the groups below `mount` with a path that matches one of the patterns (basic POSIX regular expressions,
// separated by commas), parents first. Paths are relative to `mount`; "" is the root group. Errors: Usage or
// Unsupported, an invalid pattern.
Result<std::vector<std::string>> cgroups_matching(const Root& root, const std::string& mount,
                                                  std::string_view patterns);

}  // namespace peregrine
