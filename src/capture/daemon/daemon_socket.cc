#include "capture/daemon/daemon_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <expected>
#include <optional>
#include <utility>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kQuestionLimit = 4096;
constexpr std::size_t kAnswerLimit = std::size_t{4} << 20;
constexpr std::chrono::seconds kPatience(2);         // for the daemon to receive a request, and to send an answer
constexpr std::chrono::seconds kClientPatience(30);  // `stop` waits until the sessions end

// Goes through the folder's descriptor, since a socket path is limited to 107 bytes.
sockaddr_un address_in(int folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/control", folder);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<Fd> new_socket(int flags) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!fd) return fail_errno("socket");
  return fd;
}

// Returns the user of the process at the other end.
std::optional<uid_t> peer_of(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

// From the daemon's file `lock`: the socket's peer credentials are those of the process that started it. Nothing if it
// cannot be read.
std::optional<pid_t> pid_of_daemon(int folder) {
  const Fd file(::openat(folder, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return std::nullopt;
  const auto text = read_all(file.get(), "lock", 64);
  return text ? parse_number<pid_t>(*text) : std::nullopt;
}

// Stopped by SIGSTOP or a debugger.
bool is_stopped(pid_t pid) {
  const auto state = process_state(Root(), pid);
  return state == 'T' || state == 't';
}

std::unexpected<Error> no_answer(const std::string& base, std::optional<pid_t> pid) {
  if (!pid) return fail(ErrorKind::System, "the daemon in '{}' does not respond", base);
  if (!is_stopped(*pid)) return fail(ErrorKind::System, "the daemon (pid {}) in '{}' does not respond", *pid, base);
  return std::unexpected(
      Error{ErrorKind::System, fmt::format("the daemon (pid {}) in '{}' does not respond: it is stopped", *pid, base)}
          .with_hint(fmt::format("continue it with `kill -CONT {}`", *pid)));
}

// A daemon that ends its sessions answers late. One that is stopped never does.
Result<> wait_for_answer(int socket, int folder, const std::string& base, std::chrono::milliseconds patience) {
  pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(patience.count())) != 0) return {};
  if (const auto pid = pid_of_daemon(folder); pid && is_stopped(*pid)) return no_answer(base, pid);
  return {};
}

// Removes the socket that a killed daemon left behind.
Result<> remove_stale_socket(int folder, const std::string& path) {
  struct stat status{};
  if (::fstatat(folder, "control", &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(path);
  }
  if (!S_ISSOCK(status.st_mode)) return fail(ErrorKind::Denied, "'{}' is not a socket", path);
  if (::unlinkat(folder, "control", 0) != 0) return fail_errno(path);
  return {};
}

}  // namespace

Result<Fd> listen_as_daemon(int folder, const std::string& path, OwnedName& name) {
  PEREGRINE_TRY(remove_stale_socket(folder, path));
  auto listener = new_socket(SOCK_NONBLOCK);
  if (!listener) return listener;
  // Set before bind(2), which gives the file the socket's mode: others must not be able to connect at any time.
  if (::fchmod(listener->get(), 0600) != 0) return fail_errno(path);
  const sockaddr_un address = address_in(folder);
  if (::bind(listener->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return fail_errno(path);
  name = OwnedName(folder, "control");
  if (::listen(listener->get(), 16) != 0) return fail_errno(path);
  return listener;
}

DaemonClient::DaemonClient(Fd socket) : socket_(std::move(socket)), deadline_(steady_clock::now() + kPatience) {}

Result<std::optional<DaemonClient>> DaemonClient::accept(int listener) {
  Fd socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return fail_errno("accept");
    return std::nullopt;
  }
  const auto peer = peer_of(socket.get());
  if (!peer || (*peer != 0 && *peer != ::geteuid())) return std::nullopt;
  return DaemonClient(std::move(socket));
}

bool DaemonClient::read_more() {
  char piece[1024];
  for (;;) {
    const ssize_t size = ::read(socket_.get(), piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return false;
    question_.append(piece, static_cast<std::size_t>(size));
    if (question_.size() > kQuestionLimit) return false;
    is_asked_ = question_.ends_with('\n');
    if (is_asked_) return true;
  }
}

bool DaemonClient::go_on() {
  if (steady_clock::now() >= deadline_) return false;
  if (!is_asked_) return read_more();
  while (!unsent_.empty()) {
    const ssize_t size = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    unsent_.erase(0, static_cast<std::size_t>(size));
  }
  return !is_answered_;
}

std::optional<std::string> DaemonClient::take_question() {
  if (!is_asked_ || question_.empty()) return std::nullopt;
  question_.pop_back();
  return std::exchange(question_, {});
}

void DaemonClient::answer(const std::vector<std::string>& strings) {
  for (const std::string& string : strings) unsent_.append(string).push_back('\0');
  is_answered_ = true;
  deadline_ = steady_clock::now() + kPatience;
}

Result<std::vector<std::string>> ask_daemon(const std::string& base, std::string_view question,
                                            std::chrono::milliseconds patience) {
  const auto folder = open_base_folder(base);
  if (!folder) return std::unexpected(folder.error());
  const std::string path = base + "/control";
  auto asking = new_socket(0);
  if (!asking) return std::unexpected(asking.error());
  const timeval longest{.tv_sec = kClientPatience.count(), .tv_usec = 0};
  const timeval sending{.tv_sec = patience.count() / 1000, .tv_usec = patience.count() % 1000 * 1000};
  ::setsockopt(asking->get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  ::setsockopt(asking->get(), SOL_SOCKET, SO_SNDTIMEO, &sending, sizeof sending);
  const sockaddr_un address = address_in(folder->get());
  if (::connect(asking->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EAGAIN) return no_answer(base, pid_of_daemon(folder->get()));  // others wait before us
    if (errno != ENOENT && errno != ECONNREFUSED) return fail_errno(path);
    return fail(ErrorKind::NotFound, "no daemon is running in {}", base);
  }
  const auto peer = peer_of(asking->get());
  if (::geteuid() != 0 && (!peer || (*peer != 0 && *peer != ::geteuid())))
    return fail(ErrorKind::Denied, "the daemon in {} belongs to another user", base);
  const std::string line = std::string(question) + "\n";
  PEREGRINE_TRY(write_all(asking->get(), line.data(), line.size()));
  PEREGRINE_TRY(wait_for_answer(asking->get(), folder->get(), base, patience));
  const auto answer = read_all(asking->get(), path, kAnswerLimit);
  if (!answer && answer.error().system_errno == EAGAIN) return no_answer(base, pid_of_daemon(folder->get()));
  if (!answer) return std::unexpected(answer.error());
  std::vector<std::string> strings;
  for (std::string_view rest = *answer; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    strings.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return strings;
}

}  // namespace peregrine
