// process_root: paths below /proc/PID/root, resolved as that process would resolve them.
//
// A symbolic link in a container may be absolute or contain "..". If we followed it from outside, it could lead to any
// file of the host. So links below such a root are resolved inside it: with openat2(RESOLVE_IN_ROOT), or step by step
// if the kernel has no openat2 (before 5.6) or a filter forbids it. open_file() and stat_file() do that for every such
// path.
#pragma once
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

struct ProcessPath {
  std::string root;        // "/proc/7/root"
  std::string_view below;  // "usr/bin/true"; borrowed from the path that was split; may be empty
};
std::optional<ProcessPath> split_process_path(std::string_view path);

// Opens `below` as seen from inside the folder `root`. Errors name `root`/`below`.
Result<Fd> open_in_root(const std::string& root, std::string_view below, int flags);
// Same without openat2.
Result<Fd> open_in_root_by_steps(const std::string& root, std::string_view below, int flags);

// For a sandbox that forbids looking into other processes (EACCES): calls openat2(2) with the whole path, which the
// sandbox's broker answers (sys/sandbox/file_broker.h). Without a broker, the error remains.
Result<Fd> ask_for_process_file(const std::string& path, int flags);

// Calls stat(2), resolving a path below /proc/PID/root as above. Does not open the file, which may be a device.
Result<struct stat> stat_file(const std::string& path);

}  // namespace peregrine
