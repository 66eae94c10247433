#include "session/sandbox/trusted_code.h"

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/judged_file.h"

namespace peregrine {
namespace {

Result<> judge_code(const std::string& shown, const std::filesystem::path& part, bool folder) {
  struct stat status{};
  if (::lstat(part.c_str(), &status) != 0) return fail_errno(part.string());
  // A folder like /tmp, where only a file's owner can replace it.
  const bool is_shared = folder && (status.st_mode & S_ISVTX) != 0;
  const std::string_view what = folder ? "its folder" : "the file";
  switch (fault_of(status, {.owners = owners_of(TrustedOwner::SelfOrRoot),
                            .kind = folder ? mode_t{S_IFDIR} : mode_t{S_IFREG},
                            .no_writers = is_shared ? mode_t{0} : mode_t{S_IWGRP | S_IWOTH}})) {
    case FileFault::None:
      return {};
    case FileFault::Kind:
      return fail(ErrorKind::Denied, "{}: not a regular file", shown);
    case FileFault::Owner:
      return fail(ErrorKind::Denied, "{}: {} belongs to user {}, not to you or root", shown, what, status.st_uid);
    case FileFault::Writable:
      break;
  }
  const std::string_view who = (status.st_mode & S_IWOTH) != 0 ? "everyone" : "its group";
  return fail(ErrorKind::Denied, "{}: {} is writable by {}", shown, what, who);
}

}  // namespace

Result<std::string> trusted_code(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) return fail(ErrorKind::NotFound, "{}: {}", path, error.message());
  PEREGRINE_TRY(judge_code(path, real, false));
  for (std::filesystem::path folder = real.parent_path();; folder = folder.parent_path()) {
    PEREGRINE_TRY(judge_code(path, folder, true));
    if (folder == folder.root_path()) return real.string();
  }
}

}  // namespace peregrine
