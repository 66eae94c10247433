#include "capture/synthesis/cgroup.h"

#include <sys/stat.h>

#include <string>
#include <vector>

#include "capture/synthesis/record_encoder.h"

namespace peregrine {
namespace {

// Where the unified hierarchy is mounted, or version 1's perf_event controller; "" when neither is.
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

}  // namespace

void synthesize_cgroups(const Root& root, std::size_t trailer_size, ByteWriter& out) {
  const std::string mount = cgroup_mount(root);
  if (mount.empty()) return;
  std::vector<std::string> pending{"/"};
  while (!pending.empty()) {
    const std::string path = std::move(pending.back());
    pending.pop_back();
    const std::string folder = mount + path;
    struct stat64 status{};
    if (::stat64(root.path(folder).c_str(), &status) != 0) continue;
    RecordEncoder record(out, abi::RecordType::Cgroup, 0);
    record.body().put64(status.st_ino);
    record.text(path);
    record.end(trailer_size);
    for (const auto& name : root.sorted_names(folder)) {
      if (root.is_directory(folder + "/" + name)) pending.push_back(path == "/" ? path + name : path + "/" + name);
    }
  }
}

}  // namespace peregrine
