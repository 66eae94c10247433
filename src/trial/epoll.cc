#include "trial/epoll.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <random>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr int kLookAgain = 10;  // ms until a waiting thread checks whether time is up
constexpr rlim_t kSpareFiles = 64;

u32 events_of(const EpollPlan& plan) {
  return EPOLLIN | (plan.edge ? u32{EPOLLET} : 0) | (plan.once ? u32{EPOLLONESHOT} : 0);
}

bool change(int instance, int operation, int file, u32 events) {
  epoll_event wanted{.events = events, .data = {.fd = file}};
  return ::epoll_ctl(instance, operation, file, &wanted) == 0;
}

// Creates nested instances. The first one is the innermost, which the files are added to.
Result<std::vector<Fd>> nested_instances(unsigned nesting) {
  std::vector<Fd> chain;
  for (unsigned i = 0; i <= nesting; ++i) {
    chain.emplace_back(::epoll_create1(EPOLL_CLOEXEC));
    if (!chain.back()) return fail_errno("epoll_create");
    if (i > 0 && !change(chain[i].get(), EPOLL_CTL_ADD, chain[i - 1].get(), EPOLLIN)) return fail_errno("epoll_ctl");
  }
  return chain;
}

struct Instances {
  std::vector<std::vector<Fd>> chains;  // one, or one for each thread
  int inner(unsigned thread) const { return chains[thread % chains.size()].front().get(); }
  int outer(unsigned thread) const { return chains[thread % chains.size()].back().get(); }
};

Result<Instances> make_instances(const EpollPlan& plan, std::size_t count) {
  Instances made;
  for (std::size_t i = 0; i < count; ++i) {
    auto chain = nested_instances(plan.nesting);
    if (!chain) return std::unexpected(std::move(chain.error()));
    made.chains.push_back(std::move(*chain));
  }
  return made;
}

u64 take_events(const EpollPlan& plan, int outer, int inner, const std::atomic<bool>& stop) {
  u64 seen = 0;
  while (!stop) {
    epoll_event event{};
    const int count = ::epoll_wait(outer, &event, 1, plan.blocking ? kLookAgain : 0);
    if (count <= 0) continue;
    u64 value = 0;
    int file = event.data.fd;
    // An outer instance reports the next inner one.
    for (unsigned level = plan.nesting; level > 0; --level) {
      if (::epoll_wait(file, &event, 1, 0) <= 0) break;
      file = event.data.fd;
    }
    if (::read(file, &value, sizeof value) == sizeof value) ++seen;
    if (plan.once) change(inner, EPOLL_CTL_MOD, file, events_of(plan));
  }
  return seen;
}

// Writes to all files, in order or shuffled anew in each round.
void write_files(const EpollPlan& plan, const EpollFiles& files, const std::atomic<bool>& stop) {
  std::vector<int> all;
  for (const auto& list : files)
    for (const Fd& file : list) all.push_back(file.get());
  std::mt19937 random(1);
  while (!stop) {
    if (plan.random) std::ranges::shuffle(all, random);
    for (const int file : all) {
      const u64 one = 1;
      [[maybe_unused]] const ssize_t written = ::write(file, &one, sizeof one);  // a full eventfd may stay full
      if (stop) return;
    }
  }
}

}  // namespace

Result<EpollFiles> open_epoll_files(const EpollPlan& plan) {
  const unsigned threads = thread_count(plan.timed);
  rlimit limit{};
  const rlim_t needed = rlim_t{threads} * (plan.files + plan.nesting + 1) + kSpareFiles;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < needed) {
    limit.rlim_cur = needed;
    limit.rlim_max = std::max(limit.rlim_max, needed);
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return fail_errno("cannot raise the limit of open files");
  }
  EpollFiles files(threads);
  for (auto& list : files)
    for (unsigned i = 0; i < plan.files; ++i) {
      list.emplace_back(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
      if (!list.back()) return fail_errno("eventfd");
    }
  return files;
}

Result<std::vector<u64>> run_epoll_wait(const EpollPlan& plan, const EpollFiles& files) {
  auto instances = make_instances(plan, plan.one_each ? files.size() : 1);
  if (!instances) return std::unexpected(std::move(instances.error()));
  for (unsigned thread = 0; thread < files.size(); ++thread)
    for (const Fd& file : files[thread])
      if (!change(instances->inner(thread), EPOLL_CTL_ADD, file.get(), events_of(plan))) return fail_errno("epoll_ctl");
  std::atomic<bool> stop_writing = false;
  Result<> written;
  std::jthread writer([&] {
    written = guarded([&]() -> Result<> {
      write_files(plan, files, stop_writing);
      return {};
    });
  });
  auto seen = guarded([&] {
    return run_timed(plan.timed, [&](unsigned thread, const std::atomic<bool>& stop) {
      return take_events(plan, instances->outer(thread), instances->inner(thread), stop);
    });
  });
  stop_writing = true;
  writer.join();
  if (!written) return std::unexpected(std::move(written.error()));
  return seen;
}

Result<std::vector<std::array<u64, 3>>> run_epoll_changes(const EpollPlan& plan, const EpollFiles& files) {
  auto instances = make_instances(plan, 1);
  if (!instances) return std::unexpected(std::move(instances.error()));
  std::vector<std::array<u64, 3>> counts(files.size());
  const int instance = instances->inner(0);
  const auto done = run_timed(plan.timed, [&](unsigned thread, const std::atomic<bool>& stop) -> u64 {
    constexpr int kOperations[] = {EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL};
    constexpr u32 kEvents[] = {EPOLLIN, EPOLLOUT, 0};
    std::mt19937 random(thread + 1);
    const auto& own = files[thread];
    const auto one = [&](unsigned operation, const Fd& file) {
      if (change(instance, kOperations[operation], file.get(), kEvents[operation])) ++counts[thread][operation];
    };
    while (!stop) {
      for (unsigned operation = 0; operation < 3; ++operation)
        for (const Fd& file : own) plan.random ? one(random() % 3, own[random() % own.size()]) : one(operation, file);
    }
    return 0;
  });
  if (!done) return std::unexpected(done.error());
  return counts;
}

}  // namespace peregrine
