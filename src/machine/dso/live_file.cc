#include "machine/dso/live_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <string_view>
#include <utility>

#include "base/process_root.h"
#include "base/types.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

std::string without_mark(const std::string& path) {
  return path.ends_with(kDeleted) ? path.substr(0, path.size() - kDeleted.size()) : path;
}

bool is_there(const std::string& path) {
  const auto status = stat_file(path);
  return status && S_ISREG(status->st_mode);
}

// Returns the link in map_files for a map with that inode, or with that name if no inode was recorded.
std::string map_file(const Root& root, const MappedFile& file) {
  std::string found;
  const auto look = [&](const MapLine& line) {
    if (!found.empty() || line.inode == 0) return;
    const bool same = file.inode != 0 ? line.inode == file.inode && line.major == file.major && line.minor == file.minor
                                      : without_mark(std::string(line.path)) == without_mark(file.path);
    if (same) found = root.path(fmt::format("/proc/{}/map_files/{:x}-{:x}", file.pid, line.start, line.end));
  };
  if (!for_each_map(root, static_cast<Pid>(file.pid), look)) return {};
  return found;
}

bool shares_mounts(const Root& root, u32 pid) {
  const auto theirs = root.link(fmt::format("/proc/{}/ns/mnt", pid));
  return theirs && theirs == root.link("/proc/self/ns/mnt");
}

}  // namespace

bool is_same_file(const std::string& path, const MappedFile& file) {
  const auto status = stat_file(path);
  if (!status || status->st_ino != file.inode) return false;
  const bool no_disk = file.major == 0 || major(status->st_dev) == 0;
  return no_disk || (major(status->st_dev) == file.major && minor(status->st_dev) == file.minor);
}

std::vector<std::string> live_places(const Root& root, const MappedFile& file, bool verified) {
  std::vector<std::string> places;
  if (file.pid == 0 || (!verified && file.inode == 0)) return places;
  const std::string inside = root.path(fmt::format("/proc/{}/root{}", file.pid, without_mark(file.path)));
  if (file.path.starts_with('/') && is_there(inside) && (verified || is_same_file(inside, file)))
    places.push_back(inside);
  if (std::string mapped = map_file(root, file); !mapped.empty()) places.push_back(std::move(mapped));
  return places;
}

std::string place_while_recording(const Root& root, const MappedFile& file) {
  std::string path = root.path(file.path);
  if (file.pid == 0 || file.inode == 0 || is_same_file(path, file)) return path;
  const auto places = live_places(root, file, false);
  if (!places.empty()) return places.front();
  // Some file systems report different inode numbers in maps and in stat. The path is only reliable if the process is
  // alive and shares our mounts.
  return shares_mounts(root, file.pid) && is_there(path) ? path : std::string();
}

}  // namespace peregrine
