#include "session/trace/trace_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace peregrine {

namespace {

struct Pipe {
  Fd out, in;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

Result<TraceStream> TraceStream::start(std::string_view program, std::vector<std::string> arguments,
                                       const sigset_t& mask) {
  auto data = make_pipe(), orders = make_pipe(), answers = make_pipe();
  if (!data || !orders || !answers) return fail_errno("pipe");
  arguments.insert(arguments.begin(), {std::string(program), "record", "-q", "-B", "-o", "-", "-D", "-1",
                                       fmt::format("--control=fd:{},{}", orders->out.get(), answers->in.get())});
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, data->in.get(), STDOUT_FILENO);
  // A descriptor duplicated onto itself stays open in the child.
  ::posix_spawn_file_actions_adddup2(&actions, orders->out.get(), orders->out.get());
  ::posix_spawn_file_actions_adddup2(&actions, answers->in.get(), answers->in.get());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  TraceStream stream;
  const int error = ::posix_spawn(&stream.pid_, "/proc/self/exe", &actions, &attributes, argv.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail_errno("starting record", error);
  stream.data_ = std::move(data->out);
  stream.orders_ = std::move(orders->in);
  stream.answers_ = std::move(answers->out);
  return stream;
}

bool TraceStream::enable() {
  constexpr std::string_view kEnable = "enable\n";
  if (::write(orders_.get(), kEnable.data(), kEnable.size()) < 0) return false;
  char answer[16];
  return ::read(answers_.get(), answer, sizeof answer) > 0;
}

void TraceStream::stop() const {
  if (pid_ > 0) ::kill(pid_, SIGINT);
}

int TraceStream::wait() const {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

}  // namespace peregrine
