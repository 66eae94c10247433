#include "trial/test_workload.h"

#include <fmt/format.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <expected>
#include <thread>
#include <vector>

#include "base/nearest.h"
#include "base/number/real_number.h"

// Tests look for these names in recordings.
extern "C" {
volatile unsigned long test_datum = 0;
[[gnu::noinline]] void noploop(double seconds);
[[gnu::noinline]] void test_loop(double seconds);
[[gnu::noinline]] void test_leaf(double seconds);
[[gnu::noinline]] void test_middle(double seconds);
[[gnu::noinline]] void test_outer(double seconds);
[[gnu::noinline]] void test_inlining(double seconds);
[[gnu::noinline]] void tour_parse(double seconds);
[[gnu::noinline]] void tour_price(double seconds);
[[gnu::noinline]] void tour_order(double seconds);
}

namespace {

// CPU time of this thread, so that a busy machine does not shorten the work.
double spent() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

// The clock is read rarely, so that nearly all time is spent in these functions. Each loop has a separate function,
// because scripts written for linux-perf look for the names.
void noploop(double seconds) {
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 1'000'000; ++i) test_datum = test_datum + 1;
}
void test_loop(double seconds) {
  volatile unsigned long own = 0;  // `thloop` runs this in two threads at once
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 1'000'000; ++i) own = own + 2;
}
void test_leaf(double seconds) {
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 1'000'000; ++i) test_datum = test_datum + 1;
}
// Calls through a volatile pointer prevent inlining, even with link-time optimisation. The statements after the calls
// prevent tail calls.
void test_middle(double seconds) {
  void (*volatile leaf)(double) = test_leaf;
  leaf(seconds);
  test_datum = test_datum + 1;
}
void test_outer(double seconds) {
  void (*volatile middle)(double) = test_middle;
  middle(seconds);
  test_datum = test_datum + 1;
}

// Inlined functions, which only debug information can show within test_inlining.
[[gnu::always_inline]] static inline void test_inner_inlined(double seconds) {
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 1'000'000; ++i) test_datum = test_datum + 1;
}
[[gnu::always_inline]] static inline void test_outer_inlined(double seconds) { test_inner_inlined(seconds); }
void test_inlining(double seconds) { test_outer_inlined(seconds); }

// The program of `tour`: orders that spend three quarters of their time in tour_parse.
void tour_parse(double seconds) {
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 100'000; ++i) test_datum = test_datum + 1;
}
void tour_price(double seconds) {
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 100'000; ++i) test_datum = test_datum * 3;
}
void tour_order(double seconds) {
  void (*volatile parse)(double) = tour_parse;
  void (*volatile price)(double) = tour_price;
  parse(seconds * 3 / 4);
  price(seconds / 4);
  test_datum = test_datum + 1;
}

namespace peregrine {

namespace {

void tour(double seconds) {
  constexpr int kOrders = 20;
  void (*volatile order)(double) = tour_order;
  for (int i = 0; i < kOrders; ++i) order(seconds / kOrders);
}

void leafloop(double seconds) {
  void (*volatile outer)(double) = test_outer;
  outer(seconds);
}

void thloop(double seconds) {
  std::thread other(test_loop, seconds);
  test_loop(seconds);
  other.join();
}

// Runs two threads, named test_0 and test_1.
void named_threads(double seconds) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 2; ++i)
    threads.emplace_back([seconds, i] {
      ::prctl(PR_SET_NAME, i == 0 ? "test_0" : "test_1");
      noploop(seconds);
    });
  for (std::thread& thread : threads) thread.join();
}

void inlineloop(double seconds) {
  void (*volatile inlining)(double) = test_inlining;
  inlining(seconds);
}

// Calls that fail due to an invalid descriptor; `trace` tests look at their arguments.
void landlock(double times) {
  struct {
    unsigned long access;
    int parent;
  } __attribute__((packed)) below{4, 14};
  struct {
    unsigned long access, port;
  } port{2, 19};
  constexpr int kNowhere = 11, kFlags = 45;
  constexpr int kPathBeneath = 1, kNetPort = 2;
  for (double i = 0; i < times; ++i) {
    ::syscall(SYS_landlock_add_rule, kNowhere, kPathBeneath, &below, kFlags);
    ::syscall(SYS_landlock_add_rule, kNowhere, kNetPort, &port, kFlags);
  }
}

void sqrtloop(double seconds) {
  volatile double root = 0;
  for (const double until = spent() + seconds; spent() < until;)
    for (unsigned i = 0; i < 100'000; ++i) root = std::sqrt(static_cast<double>(i) + root);
}

void brstack(double times) {
  for (double i = 0; i < times; ++i) leafloop(0);
}

void datasym(double times) {
  for (double i = 0; i < times; ++i) test_datum = static_cast<unsigned long>(i);
}

void calls(double times) {
  for (double i = 0; i < times; ++i) ::syscall(SYS_getsid, 0);
}

constexpr TestWorkload kWorkloads[] = {
    {"noploop", "one function that runs for N seconds", noploop, 1},
    {"leafloop", "the same, called by test_middle, called by test_outer", leafloop, 1},
    {"thloop", "the same in two threads", thloop, 1},
    {"named_threads", "the same in two threads, test_0 and test_1", named_threads, 1},
    {"inlineloop", "the same, inlined twice into test_inlining", inlineloop, 1},
    {"sqrtloop", "square roots for N seconds", sqrtloop, 1},
    {"tour", "orders that are parsed, then priced, for N seconds", tour, 1},
    {"brstack", "N calls of three functions", brstack, 100000},
    {"datasym", "N writes to test_datum", datasym, kTestTimes},
    {"landlock", "N Landlock rules of each kind, which the kernel rejects", landlock, 1},
    {"calls", "N getsid system calls", calls, kTestTimes},
};

}  // namespace

std::span<const TestWorkload> test_workloads() { return kWorkloads; }

Result<> run_test_workload(std::span<const std::string> words) {
  std::vector<std::string_view> names;
  for (const TestWorkload& workload : kWorkloads) names.push_back(workload.name);
  const std::string_view name = words.empty() ? std::string_view() : std::string_view(words[0]);
  const auto* const found = std::ranges::find(kWorkloads, name, &TestWorkload::name);
  if (found == std::end(kWorkloads)) {
    const auto meant = nearest(name, names);
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown workload '{}'", name)}.with_hint(
        meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("must be one of {}", fmt::join(names, ", "))));
  }
  double amount = found->usual;
  if (words.size() > 1) {
    const auto given = parse_real(words[1]);
    if (!given) return fail(ErrorKind::Usage, "invalid amount '{}'", words[1]);
    amount = *given;
  }
  found->run(amount);
  return {};
}

}  // namespace peregrine
