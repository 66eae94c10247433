// Control groups: where the hierarchy is mounted that perf events belong to.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sys/root.h"

namespace peregrine {

// Version 1's perf_event controller, else the unified hierarchy; "" when neither is mounted.
std::string cgroup_mount(const Root& root);

// A control group of the unified hierarchy, as BPF programs know it.
struct UnifiedCgroup {
  u64 id = 0;
  u32 level = 0;  // below the root group
};
// Errors: NotFound; Unsupported where that hierarchy is not mounted.
Result<UnifiedCgroup> unified_cgroup(const Root& root, std::string_view name);
// Where it is in the file system. Errors as unified_cgroup().
Result<std::string> unified_cgroup_folder(const Root& root, std::string_view name);
// "user.slice/session-1" of an id; empty when there is none (any more).
std::string unified_cgroup_name(const Root& root, u64 id);

// True when `words` holds a letter that means something in a regular expression.
bool is_cgroup_pattern(std::string_view words);
// The groups below `mount` whose path matches one of the patterns (basic POSIX regular expressions, separated by
// commas), as paths below it, parents first; "" is the root group. Errors: Usage or Unsupported, an invalid pattern.
Result<std::vector<std::string>> cgroups_matching(const Root& root, const std::string& mount,
                                                  std::string_view patterns);

}  // namespace peregrine
