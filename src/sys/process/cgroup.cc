#include "sys/process/cgroup.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/result.h"
#include "base/text/pattern.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Every folder is a group. Groups cannot be links, so the recursion ends.
void add_below(const Root& root, const std::string& mount, const std::string& name, std::vector<std::string>& found) {
  found.push_back(name);
  const std::string folder = name.empty() ? mount : fmt::format("{}/{}", mount, name);
  for (const std::string& child : root.sorted_names(folder)) {
    const std::string path = fmt::format("{}/{}", folder, child);
    if (root.link(path) || !root.is_directory(path)) continue;
    add_below(root, mount, name.empty() ? child : fmt::format("{}/{}", name, child), found);
  }
}

struct CgroupMounts {
  std::string perf_event, unified;
};

CgroupMounts cgroup_mounts(const Root& root) {
  CgroupMounts found;
  const auto mounts = root.read("/proc/mounts");
  if (!mounts) return found;
  std::string_view lines = *mounts;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
    if (second == line.npos) continue;
    const std::string_view where = line.substr(first + 1, second - first - 1);
    const std::string_view rest = line.substr(second + 1);
    const bool perf_event = rest.starts_with("cgroup ") && rest.find("perf_event") != rest.npos;
    if (perf_event && found.perf_event.empty()) found.perf_event = where;
    if (rest.starts_with("cgroup2 ")) found.unified = where;
  }
  return found;
}

}  // namespace

bool is_cgroup_pattern(std::string_view words) { return words.find_first_of("{}[]()|*+?^$") != words.npos; }

Result<std::vector<std::string>> cgroups_matching(const Root& root, const std::string& mount,
                                                  std::string_view patterns) {
  std::vector<Pattern> compiled;
  for (;;) {
    const auto comma = std::min(patterns.find(','), patterns.size());
    auto pattern = Pattern::compile(patterns.substr(0, comma), PatternSyntax::Basic);
    if (!pattern) return std::unexpected(std::move(pattern.error()));
    if (comma > 0) compiled.push_back(std::move(*pattern));
    if (comma == patterns.size()) break;
    patterns.remove_prefix(comma + 1);
  }
  std::vector<std::string> names;
  add_below(root, mount, "", names);
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::none_of(compiled, [&](const Pattern& pattern) { return pattern.matches(name); });
  });
  return names;
}

std::string cgroup_mount(const Root& root) {
  const CgroupMounts mounts = cgroup_mounts(root);
  return mounts.perf_event.empty() ? mounts.unified : mounts.perf_event;
}

Result<std::string> unified_cgroup_folder(const Root& root, std::string_view name) {
  const std::string mount = cgroup_mounts(root).unified;
  if (mount.empty()) {
    return std::unexpected(Error{ErrorKind::Unsupported, "the unified cgroup hierarchy (cgroup2) is not mounted"});
  }
  while (name.starts_with('/')) name.remove_prefix(1);
  while (name.ends_with('/')) name.remove_suffix(1);
  const std::string path = name.empty() ? mount : fmt::format("{}/{}", mount, name);
  if (!root.is_directory(path))
    return std::unexpected(Error{ErrorKind::NotFound, fmt::format("no control group '{}' in {}", name, mount)});
  return root.path(path);
}

Result<UnifiedCgroup> unified_cgroup(const Root& root, std::string_view name) {
  const auto path = unified_cgroup_folder(root, name);
  if (!path) return std::unexpected(path.error());
  while (name.starts_with('/')) name.remove_prefix(1);
  while (name.ends_with('/')) name.remove_suffix(1);
  struct stat status{};
  if (::stat(path->c_str(), &status) != 0) return fail_errno(*path);
  UnifiedCgroup group{.id = status.st_ino};
  if (!name.empty()) group.level = 1 + static_cast<u32>(std::ranges::count(name, '/'));
  return group;
}

std::string unified_cgroup_name(const Root& root, u64 id) {
  const std::string mount = cgroup_mounts(root).unified;
  if (mount.empty()) return {};
  std::vector<std::string> names;
  add_below(root, mount, "", names);
  for (const std::string& name : names) {
    struct stat status{};
    const std::string path = root.path(name.empty() ? mount : fmt::format("{}/{}", mount, name));
    if (::stat(path.c_str(), &status) == 0 && status.st_ino == id) return "/" + name;
  }
  return {};
}

}  // namespace peregrine
