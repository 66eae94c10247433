// process_root: paths below /proc/PID/root, resolved as that process would resolve them.
//
// A symbolic link in a container may be absolute or contain "..". If we followed it from outside, it could lead to any
// file of the host, so links below such a root are resolved inside of it: by
// openat2(RESOLVE_IN_ROOT), or step by step where the kernel has no openat2 (before 5.6) or a filter forbids it.
// open_file() and stat_file() do that for every path of this form.
#pragma once
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace peregrine {

struct ProcessPath {
  std::string root;        // "/proc/7/root"
  std::string_view below;  // "usr/bin/true", of the path that was split; may be empty
};
std::optional<ProcessPath> split_process_path(std::string_view path);

// Opens what `below` means inside of `root`, a folder. Errors name `root`/`below`.
Result<Fd> open_in_root(const std::string& root, std::string_view below, int flags);
// The same without openat2.
Result<Fd> open_in_root_by_steps(const std::string& root, std::string_view below, int flags);

// Where a sandbox forbids to look into other processes (EACCES): openat2(2) of the whole path, which the sandbox's
// broker answers (sys/sandbox/file_broker.h). Without a broker the error stays.
Result<Fd> ask_for_process_file(const std::string& path, int flags);

// stat(2), of a path below /proc/PID/root as above. Does not open the file, which may be a device.
Result<struct stat> stat_file(const std::string& path);

}  // namespace peregrine
