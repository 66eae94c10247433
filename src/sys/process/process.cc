#include "sys/process/process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {

namespace {

std::vector<Pid> numeric_names(const Root& root, const std::string& folder) {
  std::vector<Pid> result;
  for (const auto& name : root.names(folder))
    if (const auto number = to_number(name); number && *number <= 0x7fffffff)
      result.push_back(static_cast<Pid>(*number));
  std::sort(result.begin(), result.end());
  return result;
}

// Returns the trimmed text after "KEY:" up to the end of the line. The key must be at the start of a line.
std::optional<std::string_view> status_value(std::string_view status, std::string_view key) {
  for (std::size_t at = 0; at < status.size();) {
    const auto end = std::min(status.find('\n', at), status.size());
    const auto line = status.substr(at, end - at);
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ':')
      return trim(line.substr(key.size() + 1));
    at = end + 1;
  }
  return std::nullopt;
}

// Takes a number from the start of `text` and the `stop` character that must follow it.
bool take_field(std::string_view& text, int base, char stop, u64& value) {
  const auto number = take_number<u64>(text, base);
  if (!number || !text.starts_with(stop)) return false;
  text.remove_prefix(1);
  value = *number;
  return true;
}

}  // namespace

bool shows_own_pid_namespace(const Root& root) {
  const auto self = root.link("/proc/self");
  return !self || to_number(*self) == static_cast<u64>(::getpid());
}

std::vector<Pid> all_processes(const Root& root) { return numeric_names(root, "/proc"); }

std::vector<Pid> threads_of(const Root& root, Pid process) {
  return numeric_names(root, fmt::format("/proc/{}/task", process));
}

std::optional<ProcessStatus> status_of(const Root& root, Pid pid) {
  const auto text = root.read(fmt::format("/proc/{}/status", pid));
  if (!text) return std::nullopt;
  ProcessStatus status;
  const auto number = [&](std::string_view key) -> i64 {
    const auto value = status_value(*text, key);
    return value ? static_cast<i64>(to_number(*value).value_or(~u64{0})) : -1;
  };
  status.comm = status_value(*text, "Name").value_or("");
  status.tgid = static_cast<Pid>(number("Tgid"));
  status.ppid = static_cast<Pid>(number("PPid"));
  if (const auto uids = status_value(*text, "Uid")) {
    const auto tab = uids->find('\t');
    status.uid = static_cast<u32>(to_number(uids->substr(0, tab)).value_or(~u64{0}));
    const auto rest = tab == std::string_view::npos ? std::string_view() : uids->substr(tab + 1);
    status.euid = static_cast<u32>(to_number(rest.substr(0, rest.find('\t'))).value_or(~u64{0}));
  }
  // Kernel threads have no address space and therefore no Vm lines.
  status.kernel_thread = !status_value(*text, "VmSize").has_value() && !status_value(*text, "VmPeak").has_value();
  return status;
}

std::optional<std::string> comm_of(const Root& root, Pid pid) { return root.line(fmt::format("/proc/{}/comm", pid)); }

std::optional<char> process_state(const Root& root, Pid pid) {
  const auto stat = root.read(fmt::format("/proc/{}/stat", pid));
  if (!stat) return std::nullopt;
  const std::size_t name_end = stat->rfind(") ");  // "12 (name) S …"; a name may contain it, too
  if (name_end == std::string::npos || name_end + 2 >= stat->size()) return std::nullopt;
  return (*stat)[name_end + 2];
}

std::optional<MapLine> parse_map_line(std::string_view line) {
  MapLine map;
  u64 major = 0, minor = 0;
  if (!take_field(line, 16, '-', map.start) || !take_field(line, 16, ' ', map.end)) return std::nullopt;
  if (line.size() < 5 || line[4] != ' ') return std::nullopt;
  map.prot = (line[0] == 'r' ? PROT_READ : 0u) | (line[1] == 'w' ? PROT_WRITE : 0u) | (line[2] == 'x' ? PROT_EXEC : 0u);
  map.flags = line[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  line.remove_prefix(5);
  if (!take_field(line, 16, ' ', map.offset) || !take_field(line, 16, ':', major) || !take_field(line, 16, ' ', minor))
    return std::nullopt;
  map.major = static_cast<u32>(major);
  map.minor = static_cast<u32>(minor);
  // On some kernels the line of an anonymous map ends right after the inode.
  std::string inode_text;
  if (line.find(' ') == std::string_view::npos) {
    inode_text = std::string(line) + ' ';
    line = inode_text;
    if (!take_field(line, 10, ' ', map.inode)) return std::nullopt;
    return map;
  }
  if (!take_field(line, 10, ' ', map.inode)) return std::nullopt;
  const auto path = line.find_first_not_of(' ');
  if (path != std::string_view::npos) map.path = line.substr(path);
  return map;
}

Result<> for_each_map(const Root& root, Pid pid, const std::function<void(const MapLine&)>& each) {
  const auto text = root.read(fmt::format("/proc/{}/maps", pid));
  if (!text) return std::unexpected(text.error());
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    if (const auto map = parse_map_line(rest.substr(0, end))) each(*map);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

std::vector<Pid> processes_of_user(const Root& root, u32 uid) {
  auto pids = all_processes(root);
  std::erase_if(pids, [&](Pid pid) {
    const auto status = status_of(root, pid);
    return !status || status->uid != uid;
  });
  return pids;
}

std::vector<LoadedModule> kernel_modules(const Root& root) {
  std::vector<LoadedModule> modules;
  const auto text = root.read("/proc/modules");
  if (!text) return modules;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    // name size references users state address [taint]
    std::vector<std::string_view> words;
    while (!(line = trim(line)).empty()) {
      words.push_back(line.substr(0, line.find(' ')));
      line.remove_prefix(words.back().size());
    }
    if (words.size() < 6) continue;
    modules.push_back({std::string(words[0]), to_number(words[1]).value_or(0), to_number(words[5]).value_or(0)});
  }
  return modules;
}

}  // namespace peregrine
