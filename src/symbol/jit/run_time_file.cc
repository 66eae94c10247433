#include "symbol/jit/run_time_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/file/read_failures.h"
#include "base/result.h"

namespace peregrine {
namespace {

Result<Fd> without_fault(Result<JudgedFile> file, const std::string& path) {
  if (!file) return std::unexpected(std::move(file.error()));
  if (file->fault == FileFault::None) return std::move(file->fd);
  if (file->fault == FileFault::Kind) return fail(ErrorKind::Malformed, "{}: not a regular file", path);
  return std::unexpected(
      Error{ErrorKind::Denied,
            fmt::format("{}: belongs to user {}, not to the process's owner, you or root", path, file->status.st_uid)}
          .with_hint("use -f to override"));
}

}  // namespace

Result<Fd> open_run_time_file(const std::string& path, const FileOwners& owners) {
  return without_fault(open_and_judge(path, {.owners = owners, .follow_link = false}), path);
}

Result<Fd> open_run_time_file(int folder, const std::string& name, const std::string& path, const FileOwners& owners) {
  return without_fault(open_and_judge(folder, name, path, {.owners = owners, .follow_link = false}), path);
}

MissReason miss_of_run_time_file(const Error& error) {
  if (is_machine_failure(error)) return MissReason::Unreadable;
  // A symbolic link below the root of a process and a socket both fail to open.
  if (error.kind == ErrorKind::Malformed || error.system_errno == ELOOP || error.system_errno == ENXIO)
    return MissReason::NotRegular;
  if (error.kind != ErrorKind::Denied) return MissReason::Absent;
  return error.system_errno == 0 ? MissReason::Untrusted : MissReason::Denied;
}

}  // namespace peregrine
