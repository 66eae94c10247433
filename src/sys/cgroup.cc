#include "sys/cgroup.h"

namespace peregrine {

std::string cgroup_mount(const Root& root) {
  const auto mounts = root.read("/proc/mounts");
  if (!mounts) return {};
  std::string unified;
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
    if (rest.starts_with("cgroup ") && rest.find("perf_event") != rest.npos) return std::string(where);
    if (rest.starts_with("cgroup2 ")) unified = where;
  }
  return unified;
}

}  // namespace peregrine
