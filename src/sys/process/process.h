// Running processes with their threads, names and maps, from /proc. Used to synthesize side-band and to check
// targets.
//
// Must be cheap for ten thousand processes: one getdents per directory, one read per file, no stdio. A process that
// ends meanwhile is simply absent.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

using Pid = i32;

// Whether /proc shows this program's PID namespace. After a bare `unshare --pid`, it still shows the outer one, where
// the numbers belong to other processes.
bool shows_own_pid_namespace(const Root& root);

std::vector<Pid> all_processes(const Root& root);            // ascending
std::vector<Pid> threads_of(const Root& root, Pid process);  // ascending; empty if the process is gone

struct ProcessStatus {
  std::string comm;  // up to 15 bytes
  Pid tgid = -1;     // thread group, that is, the process
  Pid ppid = -1;
  u32 uid = 0;  // real uid
  u32 euid = 0;
  bool kernel_thread = false;
};
// Reads /proc/PID/status of a process or thread.
std::optional<ProcessStatus> status_of(const Root& root, Pid pid);
std::optional<std::string> comm_of(const Root& root, Pid pid);
// The letter in /proc/PID/stat: 'R' running, 'S' sleeping, 'T' stopped, 't' stopped by a debugger, 'Z' zombie, …
std::optional<char> process_state(const Root& root, Pid pid);

// One line of /proc/PID/maps.
struct MapLine {
  u64 start = 0, end = 0, offset = 0;
  u32 prot = 0;   // PROT_READ 1 | PROT_WRITE 2 | PROT_EXEC 4
  u32 flags = 0;  // MAP_SHARED 1 or MAP_PRIVATE 2
  u32 major = 0, minor = 0;
  u64 inode = 0;
  std::string_view path;  // as printed, "" if anonymous; borrowed from the text being parsed
};
// Parses one line without its newline. Returns nullopt if it is invalid.
std::optional<MapLine> parse_map_line(std::string_view line);
// Calls `each` for every line of the maps of a process or thread, in order. Errors: the process is gone or may not be
// read.
Result<> for_each_map(const Root& root, Pid pid, const std::function<void(const MapLine&)>& each);

// Returns the processes with the real uid `uid`.
std::vector<Pid> processes_of_user(const Root& root, u32 uid);

struct LoadedModule {
  std::string name;
  u64 size = 0;
  u64 start = 0;  // 0 if hidden by kptr_restrict
};
// Reads /proc/modules, in its order.
std::vector<LoadedModule> kernel_modules(const Root& root);

}  // namespace peregrine
