#include "sys/sandbox/file_broker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/concurrency/detached_process.h"
#include "base/file/output_place.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "sys/sandbox/broker_loop.h"
#include "sys/sandbox/foreign_process.h"

namespace peregrine {

namespace {

namespace fs = std::filesystem;

constexpr char kAble = 'y';  // the broker's answer if it can do its work

// Returns the path with its existing folders in canonical form.
std::string settled(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), error);
  if (error || whole.filename().empty()) return {};
  return (folder / whole.filename()).string();
}

// Runs in the child after a fork. Terminal signals are meant for the reader.
void live_as_long_as(pid_t reader) {
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2}) ::signal(number, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // The broker may block, for example until a FIFO has a reader. SIGHUP interrupts that when the reader of recordings
  // dies.
  struct sigaction wake{};
  wake.sa_handler = [](int) {};
  ::sigaction(SIGHUP, &wake, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (::getppid() != reader) ::_exit(0);
}

Result<> send_descriptor(int line, int fd) {
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (::sendmsg(line, &message, MSG_NOSIGNAL) != 1) return fail_errno("broker");
  return {};
}

Fd receive_descriptor(int line) {
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(line, &message, MSG_CMSG_CLOEXEC) != 1) return Fd();
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return Fd();
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return Fd(fd);
}

bool is_trusted_link(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && owned_by_self_or_root(status);
}

// Checks what each call needs: reading the caller's memory for the path, and /proc to canonicalize it.
bool can_serve(pid_t reader) {
  static constexpr char kSample[] = "sample";
  const Fd top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return top && path_of(top.get()) == "/" &&
         read_path(static_cast<u32>(reader), reinterpret_cast<u64>(kSample)) == kSample;
}

}  // namespace

OutputGrants::OutputGrants(const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs) {
    const std::size_t name = output.rfind('/') + 1, star = output.find('*', name);
    if (star == std::string::npos) {
      add_path(output);
      continue;
    }
    Pattern pattern{.folder = {}, .begin = output.substr(name, star - name), .end = output.substr(star + 1)};
    if (!output.starts_with("**/")) {
      const std::string at = settled(output);
      if (at.empty()) continue;
      pattern.folder = at.substr(0, at.rfind('/') + 1);
    }
    patterns_.push_back(std::move(pattern));
  }
}

void OutputGrants::add_path(const std::string& output) {
  const fs::path path(output.size() > 1 && output.ends_with('/') ? output.substr(0, output.size() - 1) : output);
  std::string at = settled(path);
  if (at.empty()) return;
  // The target of a link that the user owns is an output too, even if it does not exist yet. Links of other users are
  // not followed.
  std::error_code error;
  fs::path target = path;
  for (unsigned links = 0; links < 40 && is_trusted_link(target); ++links)
    target = target.parent_path() / fs::read_symlink(target, error);
  std::string real = settled(target);
  if (!real.empty() && real != at) {
    links_.push_back({at, real});
    paths_.push_back(std::move(real));
  }
  paths_.push_back(std::move(at));
}

bool OutputGrants::Pattern::covers(std::string_view path) const {
  if (!path.starts_with(folder)) return false;
  path.remove_prefix(folder.empty() ? path.rfind('/') + 1 : folder.size());
  path = path.substr(0, path.find('/'));
  const auto fits = [&](std::string_view name) {
    return name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
  };
  if (fits(path)) return true;
  // A draft: .NAME.ANYTHING
  if (!path.starts_with('.')) return false;
  for (std::size_t dot = path.rfind('.'); dot > 0; dot = path.rfind('.', dot - 1))
    if (fits(path.substr(1, dot - 1))) return true;
  return false;
}

bool OutputGrants::covers(std::string_view path) const {
  const auto covered_by = [&](const std::string& output) {
    if (path.starts_with(output))
      return path.size() == output.size() || path[output.size()] == '/' || path[output.size()] == '.';
    // A draft: FOLDER/.NAME.ANYTHING
    const std::size_t name = output.rfind('/') + 1;
    const std::string draft = fmt::format("{}.{}.", output.substr(0, name), draft_stem(output.substr(name)));
    return path.starts_with(draft) && !path.substr(draft.size()).contains('/');
  };
  return std::ranges::any_of(paths_, covered_by) ||
         std::ranges::any_of(patterns_, [&](const Pattern& pattern) { return pattern.covers(path); });
}

bool OutputGrants::leads_to_output(std::string_view path) const {
  return std::ranges::any_of(paths_, [&](const std::string& output) {
    return output.size() > path.size() && output.starts_with(path) && output[path.size()] == '/';
  });
}

std::string OutputGrants::behind(std::string_view path) const {
  const auto link = std::ranges::find(links_, path, &Link::path);
  return link == links_.end() ? std::string() : link->target;
}

Result<FileBroker> FileBroker::start(const std::vector<std::string>& outputs, bool otherwise_kernel) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail_errno("broker");
  Fd ours(ends[0]), theirs(ends[1]);
  OutputGrants grants(outputs);
  const pid_t reader = ::getpid();
  FileBroker broker;
  broker.process_ = ::fork();
  if (broker.process_ < 0) return fail_errno("fork");
  if (broker.process_ == 0) {
    live_as_long_as(reader);
    close_all_but(std::array{theirs.get()});  // inherited descriptors would keep the caller's pipes open
    char word = 0;
    const bool started = ::read(theirs.get(), &word, 1) == 1;
    word = started && can_serve(reader) ? kAble : 0;
    const bool told = started && ::send(theirs.get(), &word, 1, MSG_NOSIGNAL) == 1;
    const Fd notifications = told && word == kAble ? receive_descriptor(theirs.get()) : Fd();
    if (notifications) answer_calls(notifications.get(), theirs.get(), grants, otherwise_kernel);
    ::_exit(0);
  }
  broker.line_ = std::move(ours);
  theirs.reset();
  // Yama (ptrace_scope 1) lets only ancestors look into a process, so name the broker as a permitted tracer.
  ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(broker.process_), 0, 0, 0);
  char word = 0;
  if (::send(broker.line_.get(), &word, 1, MSG_NOSIGNAL) != 1) return fail_errno("broker");
  ssize_t got = -1;
  while ((got = ::read(broker.line_.get(), &word, 1)) < 0 && errno == EINTR) {
  }
  if (got != 1 || word != kAble) return fail(ErrorKind::Denied, "the broker cannot access this process");
  return broker;
}

Result<> FileBroker::serve(Fd notifications) { return send_descriptor(line_.get(), notifications.get()); }

FileBroker::FileBroker(FileBroker&& other) noexcept { *this = std::move(other); }

FileBroker& FileBroker::operator=(FileBroker&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(line_, other.line_);
  return *this;
}

// Waits for a broker that was told to end, because in a container there may be no init to reap it. If the reader is
// killed, the broker gets no such message and keeps serving the guard of the reader's temporary folder.
FileBroker::~FileBroker() {
  constexpr char kDone = 0;
  const bool told = line_ && ::send(line_.get(), &kDone, 1, MSG_NOSIGNAL) == 1;
  line_.reset();
  if (process_ <= 0) return;
  constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 200'000};
  for (unsigned attempt = 0; ::waitpid(process_, nullptr, WNOHANG) == 0 && told && attempt < 1000; ++attempt)
    ::nanosleep(&kMoment, nullptr);
}

}  // namespace peregrine
