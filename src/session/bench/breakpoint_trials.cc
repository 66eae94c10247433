#include "session/bench/breakpoint_trials.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <atomic>
#include <expected>
#include <thread>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/guarded.h"
#include "base/types.h"
#include "capture/perf_event/event_matrix.h"
#include "session/bench/trial_text.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

constexpr unsigned kBreakpointRounds = 10;

abi::EventAttr breakpoint_at(const char* place) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Breakpoint);
  attr.sample_period = 1;
  attr.bp_type = 3;
  attr.config1 = reinterpret_cast<u64>(place);
  attr.config2 = 1;
  attr.set(abi::attr_flag::Inherit | abi::attr_flag::ExcludeKernel | abi::attr_flag::ExcludeHv);
  return attr;
}

// Sets breakpoints on the calling thread; threads that it starts inherit them.
Result<std::vector<Fd>> set_breakpoints(unsigned count, const char* place) {
  std::vector<Fd> made;
  for (unsigned i = 0; i < count; ++i) {
    const int fd = open_event(breakpoint_at(place + i), 0, -1, -1);
    if (fd < 0) {
      auto failure = fail_errno(fmt::format("setting breakpoint {}", i + 1), -fd);
      failure.error().hint = "processors have few breakpoints (x86: four), and some virtual machines none";
      return failure;
    }
    made.emplace_back(fd);
  }
  return made;
}

void write_breakpoint_costs(const BreakpointTrialRequest& request, double seconds, double operations, bool by_cpu,
                            Sink& out) {
  if (request.simple) {
    out.format("{:.3f}\n", seconds);
    return;
  }
  const double each = seconds * 1e6 / operations;
  write_total_time(out, seconds);
  out.format("\n {:14.6f} usecs/op\n", each);
  if (by_cpu) out.format(" {:14.6f} usecs/op/cpu\n", each * request.parallel);
}

// Releases threads that wait for `stop` when it goes out of scope.
class StopSign {
 public:
  explicit StopSign(std::atomic<bool>& stop) : stop_(stop) {}
  ~StopSign() {
    stop_ = true;
    stop_.notify_all();
  }
  StopSign(const StopSign&) = delete;
  StopSign& operator=(const StopSign&) = delete;

 private:
  std::atomic<bool>& stop_;
};

}  // namespace

Result<> run_breakpoint_inheritance(const BreakpointTrialRequest& request, Sink& out) {
  if (request.parallel == 0 || request.threads == 0)
    return fail(ErrorKind::Usage, "the numbers of threads and of parallel starters must be at least 1");
  static constexpr char kPlaces[64] = {};
  if (request.breakpoints > sizeof kPlaces) return fail(ErrorKind::Usage, "too many breakpoints");
  std::vector<Error> errors(request.parallel);
  const StopWatch watch;
  {
    std::vector<std::jthread> starters;
    for (unsigned starter = 0; starter < request.parallel; ++starter)
      starters.emplace_back([&, starter] {
        auto done = guarded([&]() -> Result<> {
          const auto set = set_breakpoints(request.breakpoints, kPlaces);
          if (!set) return std::unexpected(set.error());
          for (unsigned round = 0; round < kBreakpointRounds; ++round)
            for (unsigned i = starter; i < request.threads; i += request.parallel) std::jthread([] {}).join();
          return {};
        });
        if (!done) errors[starter] = std::move(done.error());
      });
  }
  const double seconds = watch.seconds();
  for (Error& error : errors)
    if (!error.message.empty()) return std::unexpected(std::move(error));
  if (!request.simple)
    out.format("# Created/joined {} threads with {} breakpoints and {} parallelism\n", kBreakpointRounds,
               request.breakpoints, request.parallel);
  write_breakpoint_costs(request, seconds, static_cast<double>(kBreakpointRounds) * request.threads, true, out);
  return {};
}

Result<> run_breakpoint_switching(const BreakpointTrialRequest& request, Sink& out) {
  static constexpr char kPlace[8] = {};
  auto set = set_breakpoints(1, kPlace);
  if (!set) return std::unexpected(std::move(set.error()));
  std::atomic<bool> stop = false;
  double seconds = 0;
  {
    std::vector<std::jthread> threads;
    const StopSign sign(stop);  // destroyed before `threads`, which are then joined, even after an error
    for (unsigned i = 0; i < request.active + request.passive; ++i)
      threads.emplace_back([&stop, active = i < request.active] {
        if (!active) stop.wait(false);
        while (!stop) {
        }
      });
    const StopWatch watch;
    for (unsigned i = 0; i < kBreakpointRounds; ++i) {
      for (const bool disabled : {true, false}) {
        abi::EventAttr attr = breakpoint_at(kPlace);
        attr.set(abi::attr_flag::Disabled, disabled);
        ByteWriter bytes;
        encode_attr(attr, bytes);
        if (::ioctl((*set)[0].get(), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, bytes.bytes().data()) != 0)
          return fail_errno("switching a breakpoint");
      }
    }
    seconds = watch.seconds();
  }
  if (!request.simple)
    out.format("# Enabled/disabled breakpoint {} time with {} passive and {} active threads\n", kBreakpointRounds,
               request.passive, request.active);
  write_breakpoint_costs(request, seconds, kBreakpointRounds, false, out);
  return {};
}

}  // namespace peregrine
