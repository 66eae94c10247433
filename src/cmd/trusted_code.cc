#include "cmd/trusted_code.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/judged_file.h"

namespace peregrine::cmd {
namespace {

namespace fs = std::filesystem;

Result<> judge(const std::string& shown, const fs::path& part, bool folder) {
  struct stat status{};
  if (::lstat(part.c_str(), &status) != 0) return fail_errno(part.string());
  const std::string_view what = folder ? "its folder" : "the file";
  switch (fault_of(status, {.owners = owners_of(TrustedOwner::SelfOrRoot),
                            .kind = folder ? mode_t{S_IFDIR} : mode_t{S_IFREG},
                            .everybody_may_write = folder && (status.st_mode & S_ISVTX) != 0})) {
    case FileFault::None:
      return {};
    case FileFault::Kind:
      return fail(ErrorKind::Denied, "{}: not a regular file", shown);
    case FileFault::Owner:
      return fail(ErrorKind::Denied, "{}: {} belongs to user {}, not to you or root", shown, what, status.st_uid);
    case FileFault::Writable:
      break;
  }
  return fail(ErrorKind::Denied, "{}: everybody can write {}", shown, what);
}

}  // namespace

Result<std::string> trusted_code(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return fail(ErrorKind::NotFound, "{}: {}", path, error.message());
  PEREGRINE_TRY(judge(path, real, false));
  for (fs::path folder = real.parent_path();; folder = folder.parent_path()) {
    PEREGRINE_TRY(judge(path, folder, true));
    if (folder == folder.root_path()) return real.string();
  }
}

}  // namespace peregrine::cmd
