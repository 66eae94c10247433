#include "capture/daemon/daemon_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace peregrine {
namespace {

constexpr std::size_t kQuestionLimit = 4096;

// By way of the folder's descriptor, since a socket's path holds 107 bytes.
sockaddr_un address_in(int folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/control", folder);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<Fd> new_socket() {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return fail_errno("socket");
  return fd;
}

}  // namespace

Result<Fd> listen_as_daemon(const std::string& base) {
  const auto folder = open_file(base, O_PATH | O_DIRECTORY);
  if (!folder) return std::unexpected(folder.error());
  if (::unlinkat(folder->get(), "control", 0) != 0 && errno != ENOENT) return fail_errno(base + "/control");
  auto listener = new_socket();
  if (!listener) return listener;
  const sockaddr_un address = address_in(folder->get());
  if (::bind(listener->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener->get(), 16) != 0)
    return fail_errno(base + "/control");
  return listener;
}

std::string read_question(int client) {
  const timeval patience{.tv_sec = 2, .tv_usec = 0};
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string line;
  char piece[256];
  while (line.size() < kQuestionLimit) {
    const ssize_t size = ::read(client, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    line.append(piece, static_cast<std::size_t>(size));
    if (line.back() != '\n') continue;
    line.pop_back();
    return line;
  }
  return {};
}

void answer_strings(int client, const std::vector<std::string>& strings) {
  std::string bytes;
  for (const std::string& string : strings) bytes.append(string).push_back('\0');
  // A client that is gone wants no answer.
  static_cast<void>(write_all(client, bytes.data(), bytes.size()));
}

Result<std::vector<std::string>> ask_daemon(const std::string& base, std::string_view question) {
  const auto folder = open_file(base, O_PATH | O_DIRECTORY);
  if (!folder) return std::unexpected(folder.error());
  auto asking = new_socket();
  if (!asking) return std::unexpected(asking.error());
  const sockaddr_un address = address_in(folder->get());
  if (::connect(asking->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != ENOENT && errno != ECONNREFUSED) return fail_errno(base + "/control");
    return fail(ErrorKind::NotFound, "no daemon runs in {}", base);
  }
  const std::string line = std::string(question) + "\n";
  PEREGRINE_TRY(write_all(asking->get(), line.data(), line.size()));
  const auto answer = read_all(asking->get(), base + "/control");
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
