#include "trial/messaging.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <expected>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/guarded.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

constexpr std::size_t kMessage = 100;

struct Link {
  Fd read, write;
};

Result<Link> make_link(bool pipe) {
  int ends[2];
  if ((pipe ? ::pipe2(ends, O_CLOEXEC) : ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) != 0)
    return fail_errno("cannot connect a sender and a receiver");
  return Link{Fd(ends[0]), Fd(ends[1])};
}

bool read_whole(int fd, std::size_t size) {
  std::array<char, kMessage> message;
  while (size > 0) {
    const ssize_t got = ::read(fd, message.data(), std::min(size, message.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_whole(int fd, std::size_t size) {
  constexpr std::array<char, kMessage> kText{};
  while (size > 0) {
    const ssize_t put = ::write(fd, kText.data(), std::min(size, kText.size()));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

class Messaging {
 public:
  explicit Messaging(const MessagingPlan& plan) : plan_(plan) {}
  ~Messaging() {
    given_up_ = true;
    if (start_.write) static_cast<void>(write_whole(start_.write.get(), 1));
    for (const pid_t child : children_) ::kill(child, SIGKILL);
    static_cast<void>(wait());
  }

  Result<double> run() {
    for (Link* link : {&ready_, &start_}) {
      auto made = make_link(true);
      if (!made) return std::unexpected(std::move(made.error()));
      *link = std::move(*made);
    }
    for (unsigned group = 0; group < plan_.groups; ++group) PEREGRINE_TRY(start_group());
    const std::size_t workers = std::size_t{2} * MessagingPlan::kSide * plan_.groups;
    if (!read_whole(ready_.read.get(), workers)) return fail(ErrorKind::System, "not all processes started");
    const StopWatch watch;
    if (!write_whole(start_.write.get(), 1)) return fail_errno("cannot start the processes");
    PEREGRINE_TRY(wait());
    return watch.seconds();
  }

 private:
  using Work = std::function<bool()>;

  // Reports that this task is ready, and starts the work when all are.
  //   worker ── a byte on ready_ ──▶ run() waits for all of them ── one byte on start_ ──▶ all workers
  //
  // The byte on start_ is polled and never read, so that it wakes every worker at once.
  bool take_part(const Work& work) {
    if (!write_whole(ready_.write.get(), 1)) return false;
    pollfd start{start_.read.get(), POLLIN, 0};
    while (::poll(&start, 1, -1) < 0 && errno == EINTR) continue;
    return given_up_ || work();
  }

  Result<> start_worker(Work work) {
    if (plan_.threads) {
      try {
        threads_.emplace_back([this, work = std::move(work)] {
          if (!take_part(work)) failed_ = true;
        });
      } catch (const std::exception& error) {
        return std::unexpected(error_of(error));
      }
      return {};
    }
    const pid_t child = ::fork();
    if (child < 0) return fail_errno("starting a process");
    if (child == 0) ::_exit(take_part(work) ? 0 : 1);
    children_.push_back(child);
    return {};
  }

  Result<> start_group() {
    std::vector<Link> links;
    for (unsigned i = 0; i < MessagingPlan::kSide; ++i) {
      auto link = make_link(plan_.pipes);
      if (!link) return std::unexpected(std::move(link.error()));
      links.push_back(std::move(*link));
    }
    const std::size_t received = std::size_t{MessagingPlan::kSide} * plan_.loops * kMessage;
    for (const Link& link : links)
      PEREGRINE_TRY(start_worker([fd = link.read.get(), received] { return read_whole(fd, received); }));
    std::vector<int> targets;
    for (const Link& link : links) targets.push_back(link.write.get());
    for (unsigned i = 0; i < MessagingPlan::kSide; ++i) {
      PEREGRINE_TRY(start_worker([targets, loops = plan_.loops] {
        for (unsigned loop = 0; loop < loops; ++loop)
          for (const int target : targets)
            if (!write_whole(target, kMessage)) return false;
        return true;
      }));
    }
    // Threads use these links until the end; processes have their own copies.
    if (plan_.threads)
      for (Link& link : links) links_.push_back(std::move(link));
    return {};
  }

  Result<> wait() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    for (const pid_t child : children_) {
      int status = 0;
      if (::waitpid(child, &status, 0) != child || status != 0) failed_ = true;
    }
    children_.clear();
    return failed_ ? Result<>(fail(ErrorKind::System, "a sender or receiver failed")) : Result<>();
  }

  const MessagingPlan plan_;
  Link ready_, start_;
  std::vector<Link> links_;
  std::vector<std::thread> threads_;
  std::vector<pid_t> children_;
  std::atomic<bool> failed_ = false, given_up_ = false;
};

}  // namespace

Result<double> run_messaging(const MessagingPlan& plan) { return Messaging(plan).run(); }

}  // namespace peregrine
