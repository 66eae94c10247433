#include "trial/ping_pong.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <expected>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

// Plays one side. The side that begins writes first.
bool play(int in, int out, u64 loops, bool begins) {
  int ball = 0;
  for (u64 i = 0; i < loops; ++i) {
    if (begins && ::write(out, &ball, sizeof ball) != sizeof ball) return false;
    if (::read(in, &ball, sizeof ball) != sizeof ball) return false;
    if (!begins && ::write(out, &ball, sizeof ball) != sizeof ball) return false;
  }
  return true;
}

// Moves this process into the group until it ends. Without a group, returns true.
bool enter(const std::string& group) {
  if (group.empty()) return true;
  const Fd members(::open((group + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  return members && ::write(members.get(), "0", 1) == 1;
}

constexpr int kNotEntered = 2;

// A process that enters its group, reports through `ready`, and plays when signalled through `go`.
struct Player {
  pid_t pid = -1;
  Fd ready, go;
};

// `others`: the other side's pipe ends, which the child must close so that it sees when the other side ends.
Result<Player> start_player(const std::string& group, int in, int out, u64 loops, bool begins,
                            std::pair<int, int> others) {
  int ready[2], go[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  Fd ready_read(ready[0]), ready_write(ready[1]);
  if (::pipe2(go, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  Fd go_read(go[0]), go_write(go[1]);
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("starting a process");
  if (child == 0) {
    char word = 'x';
    go_write = Fd();
    ::close(others.first);
    ::close(others.second);
    if (!enter(group)) ::_exit(kNotEntered);
    if (::write(ready_write.get(), &word, 1) != 1 || ::read(go_read.get(), &word, 1) != 1) ::_exit(1);
    ::_exit(play(in, out, loops, begins) ? 0 : 1);
  }
  return Player{child, std::move(ready_read), std::move(go_write)};
}

int end_of(const Player& player) {
  int status = 0;
  if (::waitpid(player.pid, &status, 0) != player.pid) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Both sides are child processes, so that this process stays in its cgroup.
Result<double> play_in_groups(const PingPong& game, const Fd& there_read, Fd& there_write, const Fd& back_read,
                              Fd& back_write) {
  auto sender = start_player(game.sender_group, back_read.get(), there_write.get(), game.loops, true,
                             {there_read.get(), back_write.get()});
  if (!sender) return std::unexpected(std::move(sender.error()));
  auto receiver = start_player(game.receiver_group, there_read.get(), back_write.get(), game.loops, false,
                               {there_write.get(), back_read.get()});
  there_write = Fd();
  back_write = Fd();
  bool entered = true;
  for (const Result<Player>* player : {&sender, &receiver}) {
    char word = 0;
    entered = entered && *player && ::read((*player)->ready.get(), &word, 1) == 1;
  }
  const StopWatch watch;
  bool played = entered;
  for (const Result<Player>* player : {&sender, &receiver})
    if (entered) played = ::write((*player)->go.get(), "x", 1) == 1 && played;
  if (!entered) {  // players waiting for the start see end-of-file
    sender->go = Fd();
    if (receiver) receiver->go = Fd();
  }
  int failed = 0;
  for (const Result<Player>* player : {&sender, &receiver}) {
    if (!*player) continue;
    failed = std::max(failed, end_of(**player));
  }
  const double seconds = watch.seconds();
  if (!receiver) return std::unexpected(std::move(receiver.error()));
  if (failed == kNotEntered)
    return std::unexpected(
        Error{ErrorKind::Denied, "failed to enter the control groups"}.with_hint("cgroup.procs must be writable"));
  if (!played || failed != 0) return fail(ErrorKind::System, "one end of the pipe failed");
  return seconds;
}

}  // namespace

Result<double> run_ping_pong(const PingPong& game) {
  const u64 loops = game.loops;
  const bool threads = game.threads;
  int there[2], back[2];
  if (::pipe2(there, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  Fd there_read(there[0]), there_write(there[1]);
  if (::pipe2(back, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  Fd back_read(back[0]), back_write(back[1]);
  if (!game.sender_group.empty() || !game.receiver_group.empty())
    return play_in_groups(game, there_read, there_write, back_read, back_write);
  const StopWatch watch;
  bool played = false, answered = true;
  if (threads) {
    std::thread other([&] { answered = play(there_read.get(), back_write.get(), loops, false); });
    played = play(back_read.get(), there_write.get(), loops, true);
    if (!played) there_write = Fd();
    other.join();
  } else {
    const pid_t child = ::fork();
    if (child < 0) return fail_errno("starting a process");
    if (child == 0) {
      there_write = Fd();  // so that this side sees when the other one ends
      ::_exit(play(there_read.get(), back_write.get(), loops, false) ? 0 : 1);
    }
    back_write = Fd();
    played = play(back_read.get(), there_write.get(), loops, true);
    there_write = Fd();
    int status = 0;
    answered = ::waitpid(child, &status, 0) == child && status == 0;
  }
  const double seconds = watch.seconds();
  if (!played || !answered) return fail(ErrorKind::System, "one end of the pipe failed");
  return seconds;
}

double run_system_calls(CheapCall call, u64 loops) {
  const long number = call == CheapCall::GetPpid ? SYS_getppid : SYS_getpgid;
  const StopWatch watch;
  for (u64 i = 0; i < loops; ++i) static_cast<void>(::syscall(number, 0));
  return watch.seconds();
}

}  // namespace peregrine
