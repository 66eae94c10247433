#include "sys/sandbox/broker_loop.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/types.h"
#include "sys/arch/system_call.h"
#include "sys/sandbox/foreign_process.h"

namespace peregrine {

namespace {

constexpr u64 kOpenFlags =
    O_ACCMODE | O_CREAT | O_TRUNC | O_EXCL | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_DIRECTORY | O_CLOEXEC;

// The result of the intercepted call: an errno, a descriptor, or "let the kernel run it".
struct Answer {
  int error = 0;
  Fd file = {};
  bool kernel = false;
};

// A path of the stopped process, resolved to an open folder and a name in it. Operating on the open folder prevents
// the path from changing meaning between check and use.
struct Place {
  Fd folder;
  std::string name;
  std::string path;  // canonical, as the kernel spells it
};

// Answers one call at a time, always in the same order: copy the paths from the stopped process, ask still_stopped(),
// open the parent folders, compare their canonical paths with the grants, and act on the open folders. So neither
// another thread of that process nor a rename can change what was checked.
class Broker {
 public:
  Broker(int notifications, const OutputGrants& grants, bool otherwise_kernel)
      : notifications_(notifications), grants_(grants), otherwise_kernel_(otherwise_kernel) {}

  ~Broker() {
    for (const Draft& draft : drafts_) ::unlinkat(draft.folder.get(), draft.name.c_str(), 0);
  }
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // Returns false when no process is left that could ask.
  bool answer_one() {
    // Newer kernels may write more than the struct of these headers holds.
    alignas(seccomp_notif) char question_bytes[512] = {};
    auto& question = *reinterpret_cast<seccomp_notif*>(question_bytes);
    if (::ioctl(notifications_, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return errno == EINTR || errno == ENOENT;
    process_ = question.pid;
    id_ = question.id;
    Answer answer = judge(question.data);
    send(answer, question.data);
    return true;
  }

 private:
  // Guards against pid reuse: checks that the paths were read from the process that is still stopped in this call.
  bool still_stopped() const { return ::ioctl(notifications_, SECCOMP_IOCTL_NOTIF_ID_VALID, &id_) == 0; }

  Answer judge(const seccomp_data& call) {
    const auto fd_of = [&](unsigned at) { return static_cast<int>(call.args[at]); };
    const auto flags_of = [&](unsigned at) { return static_cast<u32>(call.args[at]); };
    const auto mode_of = [&](unsigned at) { return static_cast<mode_t>(call.args[at]); };
    switch (call_kind(static_cast<u32>(call.nr))) {
      case CallKind::Open:
        return open(AT_FDCWD, call.args[0], flags_of(1), mode_of(2));
      case CallKind::Create:
        return open(AT_FDCWD, call.args[0], O_WRONLY | O_CREAT | O_TRUNC, mode_of(1));
      case CallKind::OpenAt:
        return open(fd_of(0), call.args[1], flags_of(2), mode_of(3));
      case CallKind::OpenAt2:
        return open2(fd_of(0), call.args[1], call.args[2]);
      case CallKind::MakeFolder:
        return make_folder(AT_FDCWD, call.args[0], mode_of(1));
      case CallKind::MakeFolderAt:
        return make_folder(fd_of(0), call.args[1], mode_of(2));
      case CallKind::RemoveFolder:
        return remove(AT_FDCWD, call.args[0], AT_REMOVEDIR);
      case CallKind::Remove:
        return remove(AT_FDCWD, call.args[0], 0);
      case CallKind::RemoveAt:
        return remove(fd_of(0), call.args[1], flags_of(2));
      case CallKind::Rename:
        return rename(AT_FDCWD, call.args[0], AT_FDCWD, call.args[1], 0);
      case CallKind::RenameAt:
        return rename(fd_of(0), call.args[1], fd_of(2), call.args[3], 0);
      case CallKind::RenameAt2:
        return rename(fd_of(0), call.args[1], fd_of(2), call.args[3], flags_of(4));
      case CallKind::ChangeMode:
        return change_mode(fd_of(0), mode_of(1));
      case CallKind::MakeLink:
        return make_link(call.args[0], AT_FDCWD, call.args[1]);
      case CallKind::MakeLinkAt:
        return make_link(call.args[0], fd_of(1), call.args[2]);
      case CallKind::Other:
        break;
    }
    return denied();
  }

  static Answer failed(int error) { return {.error = error == 0 ? EIO : error}; }
  static Answer outcome(long result) { return result == 0 ? Answer{} : failed(errno); }
  Answer denied() const { return otherwise_kernel_ ? Answer{.kernel = true} : failed(EACCES); }

  std::optional<Place> place(int folder, u64 address) {
    auto path = read_path(process_, address);
    if (!path || !still_stopped()) return std::nullopt;
    while (path->size() > 1 && path->ends_with('/')) path->pop_back();
    const std::size_t slash = path->rfind('/');
    const std::string parent = slash == std::string::npos ? "."
                               : slash == 0               ? std::string("/")
                                                          : path->substr(0, slash);
    Place found{.folder = {}, .name = path->substr(slash == std::string::npos ? 0 : slash + 1), .path = {}};
    if (found.name.empty() || found.name == "." || found.name == "..") return std::nullopt;
    Fd start;
    if (!parent.starts_with('/')) {
      start = open_folder_of(process_, folder);
      if (!start) return std::nullopt;
    }
    found.folder = Fd(::openat(start ? start.get() : AT_FDCWD, parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!found.folder) return std::nullopt;
    found.path = path_of(found.folder.get());
    if (found.path.empty()) return std::nullopt;
    if (found.path != "/") found.path += '/';
    found.path += found.name;
    return found;
  }

  Answer open(int folder, u64 address, u64 flags, mode_t mode) {
    auto at = place(folder, address);
    if (!at || !grants_.covers(at->path)) return denied();
    flags &= kOpenFlags;
    const auto open_at = [&](int place, const std::string& name) {
      return Fd(::openat(place, name.c_str(), static_cast<int>(flags | O_CLOEXEC | O_NOFOLLOW), mode & 0666));
    };
    Answer answer;
    // A link that the user owns is resolved to its target as of the broker's start, even if something has replaced the
    // link since. If the caller asked not to follow links (O_EXCL, O_NOFOLLOW), leave the result to the kernel.
    const std::string behind = (flags & (O_EXCL | O_NOFOLLOW)) != 0 ? std::string() : grants_.behind(at->path);
    answer.file = behind.empty() ? open_at(at->folder.get(), at->name) : open_at(AT_FDCWD, behind);
    if (!answer.file) return failed(errno);
    closes_on_exec_ = (flags & O_CLOEXEC) != 0;
    if ((flags & O_EXCL) != 0 && at->name.starts_with('.') && at->name.ends_with(".new"))
      drafts_.push_back({std::move(at->folder), at->name, at->path});
    return answer;
  }

  Answer open2(int folder, u64 address, u64 how_address) {
    ::open_how how{};
    if (!read_memory(process_, how_address, &how, sizeof how)) return denied();
    if ((how.flags & (O_ACCMODE | O_CREAT | O_TRUNC)) != 0)
      return open(folder, address, how.flags, static_cast<mode_t>(how.mode));
    return look_into_process(address, how.flags);
  }

  // Landlock forbids confined processes to look into processes outside of their rules, which is where the binaries of
  // containers are. The reader only gets files that it parses anyway; see open_program_file().
  Answer look_into_process(u64 address, u64 flags) {
    const auto path = read_path(process_, address);
    if (!path || !still_stopped() || !leads_into_process(*path)) return denied();
    Answer answer;
    answer.file = open_program_file(*path);
    if (!answer.file) return failed(errno);
    closes_on_exec_ = (flags & O_CLOEXEC) != 0;
    return answer;
  }

  Answer make_folder(int folder, u64 address, mode_t mode) {
    const auto at = place(folder, address);
    const bool on_the_way = at && !grants_.covers(at->path);
    if (!at || (on_the_way && !grants_.leads_to_output(at->path))) return denied();
    Answer answer = outcome(::mkdirat(at->folder.get(), at->name.c_str(), mode & 0777));
    if (answer.error == 0 && on_the_way) ways_made_.push_back(at->path);
    return answer;
  }

  // The link and its target must both be outputs, and the target relative: a link that leads elsewhere could become
  // one that a user trusts.
  Answer make_link(u64 target_address, int folder, u64 address) {
    const auto target = read_path(process_, target_address);
    if (!target || target->empty() || target->starts_with('/')) return denied();
    const auto at = place(folder, address);
    if (!at || !grants_.covers(at->path)) return denied();
    const std::filesystem::path to = std::filesystem::path(at->path).parent_path() / *target;
    if (!grants_.covers(to.lexically_normal().string())) return denied();
    return outcome(::symlinkat(target->c_str(), at->folder.get(), at->name.c_str()));
  }

  Answer remove(int folder, u64 address, u32 flags) {
    const auto at = place(folder, address);
    if (!at) return denied();
    const auto made_it = [&] { return std::ranges::find(ways_made_, at->path) != ways_made_.end(); };
    if (!grants_.covers(at->path) && ((flags & AT_REMOVEDIR) == 0 || !made_it())) return denied();
    forget_draft(at->path);
    return outcome(::unlinkat(at->folder.get(), at->name.c_str(), static_cast<int>(flags & AT_REMOVEDIR)));
  }

  Answer rename(int from_folder, u64 from, int to_folder, u64 to, u32 flags) {
    const auto old_place = place(from_folder, from);
    const auto new_place = old_place ? place(to_folder, to) : std::nullopt;
    if (!new_place || !grants_.covers(old_place->path) || !grants_.covers(new_place->path)) return denied();
    // Links must not be moved: one could become a link that a user trusts.
    struct stat status{};
    if (::fstatat(old_place->folder.get(), old_place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return failed(errno);
    if (S_ISLNK(status.st_mode) || (flags & ~u32{RENAME_NOREPLACE | RENAME_EXCHANGE}) != 0) return denied();
    const Answer answer = outcome(::syscall(SYS_renameat2, old_place->folder.get(), old_place->name.c_str(),
                                            new_place->folder.get(), new_place->name.c_str(), flags));
    if (answer.error == 0) forget_draft(old_place->path);
    return {.error = answer.error};
  }

  void forget_draft(const std::string& path) {
    std::erase_if(drafts_, [&](const Draft& draft) { return draft.path == path; });
  }

  // Only outputs, and never set-user-id: the descriptor may refer to any file that was opened for reading.
  Answer change_mode(int fd, mode_t mode) {
    const Fd file = open_file_of(process_, fd);
    if (!file || !still_stopped()) return denied_here();
    mode &= 07777;  // the kernel ignores file-type bits, which some callers pass
    if (!grants_.covers(path_of(file.get())) || (mode & ~0777u) != 0) return denied_here();
    return outcome(::chmod(own_link(file.get()).c_str(), mode));
  }
  static Answer denied_here() { return failed(EPERM); }  // no Landlock right covers this call, so deny it here

  void send(Answer& answer, const seccomp_data&) {
    seccomp_notif_resp response{};
    response.id = id_;
    if (answer.kernel) {
      response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else if (answer.file) {
      seccomp_notif_addfd add{};
      add.id = id_;
      add.srcfd = static_cast<u32>(answer.file.get());
      add.newfd_flags = closes_on_exec_ ? O_CLOEXEC : 0;
      const int there = ::ioctl(notifications_, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
      if (there < 0)
        response.error = errno == EMFILE ? -EMFILE : -EIO;
      else
        response.val = there;
    } else {
      response.error = -answer.error;
    }
    static_cast<void>(::ioctl(notifications_, SECCOMP_IOCTL_NOTIF_SEND, &response));
  }

  // New files with draft names. A killed reader cannot remove its drafts, so the broker does so when it ends.
  using Draft = Place;
  std::vector<Draft> drafts_;
  std::vector<std::string> ways_made_;  // folders created on the way to an output, removed again on failure

  int notifications_;
  const OutputGrants& grants_;
  bool otherwise_kernel_;
  u32 process_ = 0;  // the calling thread
  u64 id_ = 0;
  bool closes_on_exec_ = true;
};

}  // namespace

void answer_calls(int notifications, int line, const OutputGrants& grants, bool otherwise_kernel) {
  Broker broker(notifications, grants, otherwise_kernel);
  for (;;) {
    pollfd waiting[2] = {{.fd = notifications, .events = POLLIN, .revents = 0},
                         {.fd = line, .events = POLLIN, .revents = 0}};
    if (::poll(waiting, 2, -1) < 0) {
      if (errno != EINTR) return;
      continue;
    }
    if ((waiting[0].revents & POLLIN) != 0 && !broker.answer_one()) return;
    if ((waiting[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return;
    char done = 0;
    if (waiting[1].revents != 0 && ::read(line, &done, 1) == 1) return;
    if (waiting[1].revents != 0) line = -1;  // the reader was killed; the guard of its folder may still ask
  }
}

}  // namespace peregrine
