#include "data/reader/recording_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <expected>
#include <utility>

#include "base/result.h"

namespace peregrine::data {
namespace {

constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

// Unlike the messages in base/judged_file.h: people and programs expect linux-perf's exact text here.
std::unexpected<Error> refuse_owner(const std::string& name) {
  return fail(ErrorKind::Denied, "File {} not owned by current user or root (use -f to override)", name);
}

Result<> judge(const std::string& name, const struct stat& status, TrustedOwner owner) {
  if (is_trusted(status, owners_of(owner))) return {};
  return refuse_owner(name);
}

Result<struct stat> status_of(const Fd& fd, const std::string& name) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(name);
  return status;
}

bool is_nameless_pipe(const Fd& fd) {
  struct statfs system{};
  return ::fstatfs(fd.get(), &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

// Makes reading block from here on, and waits for the writer, which may not have opened the FIFO yet.
Result<> await_writer(const Fd& fd, const std::string& name) {
  if (::fcntl(fd.get(), F_SETFL, 0) != 0) return fail_errno(name);
  pollfd wait{fd.get(), POLLIN, 0};
  while (::poll(&wait, 1, -1) < 0) {
    if (errno != EINTR) return fail_errno(name);
  }
  return {};
}

// Turns a fault into an error. `name` is the name that the user knows.
Result<JudgedFile> without_fault(Result<JudgedFile> file, const std::string& name, mode_t kind = S_IFREG) {
  if (!file || file->fault == FileFault::None) return file;
  if (file->fault == FileFault::Owner) return refuse_owner(name);
  return fail(ErrorKind::Denied, "{}: not a {}{}", name, kind == S_IFDIR ? "folder" : "regular file",
              S_ISLNK(file->status.st_mode) ? ", but a symbolic link" : "");
}

// Opens a regular file, or a folder, in the recording's folder `name`. Links are not followed: they could lead to any
// file.
Result<JudgedFile> open_part(const std::string& name, const Fd& at, const std::string& part, TrustedOwner owner,
                             mode_t kind = S_IFREG) {
  const std::string whole = name + "/" + part;
  const FileRules rules{.owners = owners_of(owner), .kind = kind, .follow_link = false};
  return without_fault(open_and_judge(at.get(), part, whole, rules), whole, kind);
}

// A part that does not exist or is not readable is treated as not recorded. A readable but untrusted part is an error.
bool is_absent(const Error& error) {
  return error.kind == ErrorKind::NotFound || (error.kind == ErrorKind::Denied && error.system_errno != 0);
}

// Opens the kernel image that `record --kcore` stores with the data.
Result<> open_kernel_copy(RecordingFile& file, const Fd& at, TrustedOwner owner) {
  constexpr const char* kFolder = "kcore_dir";
  auto folder = open_part(file.name, at, kFolder, owner, S_IFDIR);
  if (!folder && is_absent(folder.error())) return {};
  if (!folder) return std::unexpected(std::move(folder.error()));
  for (const auto& [part, fd] : {std::pair("kallsyms", &file.kallsyms), std::pair("kcore", &file.kcore)}) {
    auto opened = open_part(file.name + "/" + kFolder, folder->fd, part, owner);
    if (opened)
      *fd = std::move(opened->fd);
    else if (!is_absent(opened.error()))
      return std::unexpected(std::move(opened.error()));
  }
  return {};
}

Result<> open_folder(RecordingFile& file, const Fd& folder, TrustedOwner owner) {
  file.folder = true;
  auto main = open_part(file.name, folder, "data", owner);
  if (!main && main.error().kind == ErrorKind::NotFound)
    return fail(ErrorKind::Malformed, "{}: not a recording: this folder has no file 'data'", file.name);
  if (!main) return std::unexpected(std::move(main.error()));
  file.main = std::move(main->fd);
  file.status = main->status;
  for (unsigned number = 0;; ++number) {
    auto next = open_part(file.name, folder, fmt::format("data.{}", number), owner);
    if (!next && next.error().kind == ErrorKind::NotFound) return open_kernel_copy(file, folder, owner);
    if (!next) return std::unexpected(std::move(next.error()));
    file.further.push_back(std::move(next->fd));
  }
}

}  // namespace

Result<RecordingFile> open_recording_file(const std::string& path, TrustedOwner owner) {
  RecordingFile file;
  file.name = path;
  auto fd = open_file(path, kFlags);
  if (!fd) return std::unexpected(std::move(fd.error()));
  auto status = status_of(*fd, path);
  if (!status) return std::unexpected(std::move(status.error()));
  if (S_ISDIR(status->st_mode)) {
    PEREGRINE_TRY(open_folder(file, *fd, owner));
    PEREGRINE_TRY(judge(path, *status, owner));
    return file;
  }
  const bool stream = S_ISFIFO(status->st_mode);
  if (!stream || !is_nameless_pipe(*fd)) PEREGRINE_TRY(judge(path, *status, owner));
  if (stream) PEREGRINE_TRY(await_writer(*fd, path));
  file.main = std::move(*fd);
  file.status = *status;
  return file;
}

Result<Fd> open_file_beside(const std::string& path, TrustedOwner owner) {
  auto file = without_fault(open_and_judge(path, {.owners = owners_of(owner)}), path);
  if (!file) return std::unexpected(std::move(file.error()));
  return std::move(file->fd);
}

}  // namespace peregrine::data
