#include "machine/dso/run_time_place.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

#include "base/fd.h"
#include "base/number/parse_number.h"
#include "machine/dso/dso.h"

namespace peregrine {
namespace {

// Returns the last number of the NStgid line: the process id in the innermost namespace.
u32 innermost_pid(std::string_view status) {
  constexpr std::string_view kKey = "\nNStgid:";
  const std::size_t at = status.find(kKey);
  if (at == std::string_view::npos) return 0;
  std::string_view line = status.substr(at + kKey.size());
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(line.find_last_of(" \t") + 1);
  return take_number<u32>(line).value_or(0);
}

bool same_folder(const std::string& one, const std::string& other) {
  struct stat first{}, second{};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

LivingProcess look_at_process(const std::string& proc, u32 pid, ReadFailures* failures) {
  constexpr std::size_t kLimit = std::size_t{1} << 16;
  LivingProcess process;
  const std::string place = fmt::format("{}/{}/status", proc, pid);
  const auto status = read_file(place, kLimit);
  if (!status) {
    note_failure(failures, place, status.error());
    return process;
  }
  process.inner_pid = innermost_pid(*status);
  std::string root = fmt::format("{}/{}/root", proc, pid);
  struct stat there{};
  if (::stat(root.c_str(), &there) == 0) {
    if (!same_folder(root, "/")) process.root = root;
  } else if (errno == EACCES) {
    // The sandbox denies looking into other processes, but its broker opens files in them.
    process.root = root;
    return process;
  }
  // Processes with the same root may still have different mounts.
  if (process.root.empty() && !same_folder(fmt::format("{}/{}/ns/mnt", proc, pid), "/proc/self/ns/mnt") &&
      ::stat(root.c_str(), &there) == 0) {
    process.root = fmt::format("{}/{}/root", proc, pid);
  }
  return process;
}

std::vector<std::string> perf_map_places(const SymbolPlaces& places, u32 pid) {
  std::vector<std::string> result;
  if (places.search.symfs.empty()) {
    const LivingProcess process = look_at_process(places.live_root.path("/proc"), pid, places.search.failures);
    const bool contained = !process.root.empty() || (process.inner_pid != 0 && process.inner_pid != pid);
    if (contained) result.push_back(fmt::format("{}/tmp/perf-{}.map", process.root, process.inner_pid));
  }
  result.push_back(fmt::format("{}/perf-{}.map", places.perf_map_folder, pid));
  return result;
}

std::vector<std::string> jitdump_places(const SymbolPlaces& places, u32 pid, std::string_view path) {
  std::vector<std::string> result;
  if (places.search.symfs.empty()) {
    const LivingProcess process = look_at_process(places.live_root.path("/proc"), pid, places.search.failures);
    if (!process.root.empty()) result.push_back(fmt::format("{}{}", process.root, path));
  }
  result.push_back(
      fmt::format("{}{}{}", places.search.symfs, places.search.root, places.search.below(std::string(path))));
  return result;
}

}  // namespace peregrine
