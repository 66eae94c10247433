#include "capture/perf_event/breakpoint_symbol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "capture/target/workload.h"

namespace peregrine {
namespace {

volatile int watched_by_breakpoint_symbol_test = 1;

EventSpec breakpoint(std::string symbol) {
  EventSpec spec;
  spec.name = "mem:" + symbol;
  spec.symbol = std::move(symbol);
  spec.attr.type = static_cast<u32>(abi::EventType::Breakpoint);
  return spec;
}

// The test's own variables, wherever it is loaded; extern "C" names appear unchanged in the symbol table.
extern "C" {
int breakpoint_symbol_test_counter[4];
}

TEST(BreakpointSymbol, FindsWhereAProcessHasIt) {
  breakpoint_symbol_test_counter[1] = watched_by_breakpoint_symbol_test;
  const Pid self = ::getpid();
  EventList events{breakpoint("breakpoint_symbol_test_counter+4"), EventSpec{}};
  ASSERT_TRUE(has_named_breakpoint(events));
  EXPECT_TRUE(events[0].needs_program());
  const auto placed = place_breakpoints(Root(), std::span(&self, 1), events);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(events[0].attr.config1, reinterpret_cast<u64>(&breakpoint_symbol_test_counter[1]));
}

TEST(BreakpointSymbol, NamesTheNearestAndThatAddressesDiffer) {
  const Pid self = ::getpid();
  EventList events{breakpoint("breakpoint_symbol_test_conter")};
  const auto placed = place_breakpoints(Root(), std::span(&self, 1), events);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().hint, "did you mean 'breakpoint_symbol_test_counter'?");
  EventList everywhere{breakpoint("breakpoint_symbol_test_counter")};
  const auto refused = place_breakpoints(Root(), Target{.kind = TargetKind::Cpus}, everywhere);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no kernel symbol"), std::string::npos);
  EXPECT_TRUE(place_breakpoints(Root(), Target{.kind = TargetKind::Workload}, everywhere));
}

TEST(BreakpointSymbol, AWorkloadIsHeldBehindItsExec) {
  sigset_t mask;
  sigemptyset(&mask);
  auto workload = Workload::start({"/bin/sh", "-c", "exit 3"}, mask);
  ASSERT_TRUE(workload);
  std::string program;
  const auto released = workload->release_held([&]() -> Result<> {
    program = Root().link(fmt::format("/proc/{}/exe", workload->pid())).value_or("");
    return {};
  });
  if (!released && released.error().system_errno == EPERM) GTEST_SKIP() << "ptrace is not allowed here";
  ASSERT_TRUE(released) << released.error().message;
  EXPECT_NE(program.find("sh"), std::string::npos);
  EXPECT_EQ(workload->wait().code(), 3);
}

TEST(BreakpointSymbol, AWorkloadThatCannotRunSaysSo) {
  sigset_t mask;
  sigemptyset(&mask);
  auto workload = Workload::start({"/no/such/program"}, mask);
  ASSERT_TRUE(workload);
  bool called = false;
  const auto released = workload->release_held([&]() -> Result<> {
    called = true;
    return {};
  });
  ASSERT_FALSE(released);
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace peregrine
