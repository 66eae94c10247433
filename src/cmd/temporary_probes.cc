#include "cmd/temporary_probes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "cmd/probe_options.h"
#include "probe/probe_events.h"

namespace peregrine::cmd {
namespace {

// An event goes away a moment after the last descriptor of it.
constexpr int kTries = 200;
constexpr auto kPause = std::chrono::milliseconds(10);

void remove_all(const ProbeEvents& events, const std::vector<TraceProbe>& probes) {
  for (const TraceProbe& probe : probes) {
    for (int i = 0; i < kTries; ++i) {
      const auto removed = events.remove(probe);
      if (removed || removed.error().system_errno != EBUSY) break;
      std::this_thread::sleep_for(kPause);
    }
  }
}

// The child: outlives whatever ends its parent.
[[noreturn]] void keep_watch(int pipe, const ProbeEvents& events, const std::vector<TraceProbe>& probes) {
  ::setsid();
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM})
    ::signal(ignored, SIG_IGN);
  // Nobody shall wait for this process at the other end of a pipe.
  for (int fd = 0; fd <= 2; ++fd) ::close(fd);
  char byte = 0;
  while (::read(pipe, &byte, 1) < 0 && errno == EINTR) continue;
  remove_all(events, probes);
  ::_exit(0);
}

}  // namespace

Result<std::unique_ptr<TemporaryProbes>> TemporaryProbes::add(const std::vector<std::string>& definitions,
                                                              const std::string& command, Invocation& call) {
  auto planned = plan_temporary_probes(definitions, command, call);
  if (!planned) return std::unexpected(std::move(planned.error()));
  const auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(events.error());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd reading(ends[0]), writing(ends[1]);
  std::unique_ptr<TemporaryProbes> made(new TemporaryProbes());
  std::vector<TraceProbe> names;  // each event once
  for (const TraceProbe& probe : *planned) {
    if (std::ranges::find(made->events_, probe.name()) != made->events_.end()) continue;
    made->events_.push_back(probe.name());
    names.push_back(probe);
  }
  // The child first: from then on nothing stays behind.
  made->keeper_ = ::fork();
  if (made->keeper_ < 0) return fail_errno("fork");
  if (made->keeper_ == 0) {
    writing.reset();
    keep_watch(reading.get(), *events, names);
  }
  made->alive_ = std::move(writing);
  for (const TraceProbe& probe : *planned) {
    PEREGRINE_TRY(events->check(probe.is_user()));
    PEREGRINE_TRY(events->add(probe));
  }
  return made;
}

TemporaryProbes::~TemporaryProbes() {
  alive_.reset();
  while (keeper_ > 0 && ::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace peregrine::cmd
