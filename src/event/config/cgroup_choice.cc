#include "event/config/cgroup_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "event/syntax/parse.h"
#include "sys/process/cgroup.h"

namespace peregrine {

namespace {

Result<std::string> mounted(const Root& root) {
  std::string mount = cgroup_mount(root);
  if (mount.empty()) return fail(ErrorKind::Usage, "no cgroup file system is mounted");
  return mount;
}

Result<> check_folders(const Root& root, const std::string& mount, const EventList& events) {
  for (const auto& spec : events) {
    if (spec.cgroup.empty() || root.is_directory(spec.cgroup)) continue;
    Error error{ErrorKind::Usage, fmt::format("no access to cgroup {}", spec.cgroup)};
    error.hint = fmt::format("cgroup names are paths relative to {}", mount);
    return std::unexpected(std::move(error));
  }
  return {};
}

std::vector<std::string> separated(std::string_view words) {
  std::vector<std::string> names;
  while (!words.empty()) {
    const auto comma = std::min(words.find(','), words.size());
    if (comma > 0) names.emplace_back(words.substr(0, comma));
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
  return names;
}

}  // namespace

Result<> bind_checked_cgroups(const Root& root, std::string_view names, std::size_t& given, EventList& events) {
  auto mount = mounted(root);
  if (!mount) return std::unexpected(std::move(mount.error()));
  PEREGRINE_TRY(bind_cgroups(events, names, *mount, given));
  return check_folders(root, *mount, events);
}

void unbind_cgroups(EventList& events) {
  for (auto& spec : events) {
    spec.cgroup.clear();
    spec.cgroup_name.clear();
  }
}

Result<> expand_checked_cgroups(const Root& root, std::string_view words, EventList& events) {
  auto mount = mounted(root);
  if (!mount) return std::unexpected(std::move(mount.error()));
  std::vector<std::string> names;
  if (is_cgroup_pattern(words)) {
    auto matching = cgroups_matching(root, *mount, words);
    if (!matching) return std::unexpected(std::move(matching.error()));
    names = std::move(*matching);
  } else {
    names = separated(words);
  }
  if (names.empty()) {
    Error error{ErrorKind::Usage, fmt::format("no cgroup matched: {}", words)};
    error.hint = fmt::format("cgroups are the folders in {}", *mount);
    return std::unexpected(std::move(error));
  }
  expand_cgroups(events, names, *mount);
  return check_folders(root, *mount, events);
}

}  // namespace peregrine
