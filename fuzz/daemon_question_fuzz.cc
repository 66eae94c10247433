// A client's request to a daemon: it must end, and must not contain another line; also a session's line in the
// config file, which must parse to the same arguments when they are quoted again.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "capture/daemon/command_words.h"
#include "capture/daemon/daemon_socket.h"
#include "input.h"

namespace {

using namespace peregrine;

void try_question(Bytes bytes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return;
  DaemonClient daemon{Fd(ends[0])};
  const Fd client(ends[1]);
  const Bytes sent = bytes.first(std::min<std::size_t>(bytes.size(), 8192));
  if (::send(client.get(), sent.data(), sent.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
  ::shutdown(client.get(), SHUT_WR);
  if (!daemon.go_on()) return;
  const auto question = daemon.take_question();
  if (!question) return;
  if (question->size() >= sent.size() || !as_text(sent).starts_with(*question)) std::abort();
  daemon.answer({*question});
  while (daemon.go_on()) {
  }
  if (daemon.is_writing()) std::abort();  // the answer is small
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += " '";
    for (const char c : word) line += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace

void peregrine::fuzz_daemon_question(Bytes bytes) {
  try_question(bytes);
  const auto words = command_words(as_text(bytes));
  if (!words) return;
  const auto again = command_words(quoted(*words));
  if (!again || *again != *words) std::abort();
}
