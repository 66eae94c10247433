#include "trial/ping_pong.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/fd.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

// One side: whoever begins writes first.
bool play(int in, int out, u64 loops, bool begins) {
  int ball = 0;
  for (u64 i = 0; i < loops; ++i) {
    if (begins && ::write(out, &ball, sizeof ball) != sizeof ball) return false;
    if (::read(in, &ball, sizeof ball) != sizeof ball) return false;
    if (!begins && ::write(out, &ball, sizeof ball) != sizeof ball) return false;
  }
  return true;
}

}  // namespace

Result<double> run_ping_pong(u64 loops, bool threads) {
  int there[2], back[2];
  if (::pipe2(there, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  Fd there_read(there[0]), there_write(there[1]);
  if (::pipe2(back, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  Fd back_read(back[0]), back_write(back[1]);
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
      there_write = Fd();  // the end of the other side is the end of this one
      ::_exit(play(there_read.get(), back_write.get(), loops, false) ? 0 : 1);
    }
    back_write = Fd();
    played = play(back_read.get(), there_write.get(), loops, true);
    there_write = Fd();
    int status = 0;
    answered = ::waitpid(child, &status, 0) == child && status == 0;
  }
  const double seconds = watch.seconds();
  if (!played || !answered) return fail(ErrorKind::System, "a side of the pipes has failed");
  return seconds;
}

double run_system_calls(CheapCall call, u64 loops) {
  const long number = call == CheapCall::GetPpid ? SYS_getppid : SYS_getpgid;
  const StopWatch watch;
  for (u64 i = 0; i < loops; ++i) static_cast<void>(::syscall(number, 0));
  return watch.seconds();
}

}  // namespace peregrine
