#include "trial/timed_run.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <expected>
#include <latch>
#include <mutex>
#include <thread>
#include <utility>

#include "base/guarded.h"

namespace peregrine {

namespace {

std::vector<int> own_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

}  // namespace

unsigned thread_count(const TimedPlan& plan) {
  return plan.threads != 0 ? plan.threads : std::max(1u, static_cast<unsigned>(own_cpus().size()));
}

void bind_to_cpu(unsigned number) {
  const std::vector<int> cpus = own_cpus();
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpus[number % cpus.size()], &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

Result<std::vector<u64>> run_timed(const TimedPlan& plan, const TimedWork& work, const std::function<void()>& end) {
  const unsigned count = thread_count(plan);
  std::vector<u64> done(count, 0);
  std::atomic<bool> stop = false, given_up = false;
  std::latch begin(1);
  std::mutex mutex;
  std::exception_ptr failure;  // the first exception that a thread threw
  std::vector<std::jthread> threads;
  try {
    for (unsigned thread = 0; thread < count; ++thread)
      threads.emplace_back([&, thread] {
        try {
          if (plan.bound) bind_to_cpu(thread);
          begin.wait();
          if (given_up) return;
          done[thread] = work(thread, stop);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      });
  } catch (const std::exception& error) {
    given_up = true;
    begin.count_down();
    return std::unexpected(error_of(error));
  }
  begin.count_down();
  std::this_thread::sleep_for(std::chrono::seconds(plan.seconds));
  stop = true;
  if (end) end();
  threads.clear();
  if (failure) std::rethrow_exception(std::move(failure));
  return done;
}

}  // namespace peregrine
