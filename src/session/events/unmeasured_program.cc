#include "session/events/unmeasured_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "output/text/format/printable.h"
#include "sys/process/program_path.h"

namespace peregrine {
namespace {

// Set-id bits and file capabilities have no effect in a process with no_new_privs, or on a file system mounted
// nosuid.
bool ignores_rights(const std::string& path) {
  struct statvfs place{};
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
         (::statvfs(path.c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) != 0);
}

bool gives_other_rights(const std::string& path, const struct stat& status) {
  if (ignores_rights(path)) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid()) return true;
  const bool runs_as_group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0;
  if (runs_as_group && status.st_gid != ::getegid()) return true;
  return ::geteuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

std::string why_unmeasured(const std::string& path) {
  struct stat status{};
  if (path.empty() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return "you do not have permission to read it";
  if (gives_other_rights(path, status)) return "it runs with different privileges";
  return {};
}

void warn_about_unmeasured_program(const std::string& program, std::string_view search_path,
                                   SessionListener& listener) {
  const std::string path = find_program(program, search_path);
  const std::string why = why_unmeasured(path);
  if (why.empty()) return;
  listener.warning(fmt::format("the kernel stops measuring when '{}' starts: {}", printable(path), why),
                   ::geteuid() == 0 ? "measure all CPUs (-a)" : "run as root, or measure all CPUs (-a)");
}

}  // namespace peregrine
