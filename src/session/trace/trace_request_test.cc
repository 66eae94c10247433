#include "session/trace/trace_request.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

// A request with one setting, and a name for failures.
struct RequestCase {
  const char* what;
  void (*set)(TraceRequest&);
};
TraceRequest request_with(void (*set)(TraceRequest&)) {
  TraceRequest request;
  set(request);
  return request;
}

TEST(TraceRequest, TracesSystemCallsUnlessOthersAreNamed) {
  EXPECT_TRUE(TraceRequest().wants_calls());
  TraceRequest events, faults;
  events.events.emplace_back();
  faults.faults = "all";
  for (TraceRequest* request : {&events, &faults}) {
    EXPECT_FALSE(request->wants_calls());
    std::vector<std::string> others;
    ASSERT_TRUE(request->calls.add("close", others));
    EXPECT_TRUE(request->wants_calls()) << "one is named";
    request->syscalls = false;
    EXPECT_FALSE(request->wants_calls()) << "--no-syscalls";
    request->syscalls = true;
    EXPECT_TRUE(request->wants_calls());
  }
}

TEST(TraceRequest, HasChainsByTheMostExactChoice) {
  TraceRequest request;
  EXPECT_FALSE(request.chains()->enabled());
  request.kernel_graph = true;
  EXPECT_EQ(request.chains()->mode, CallgraphMode::FramePointer);
  request.max_stack = 5;
  EXPECT_EQ(request.chains()->mode, CallgraphMode::Dwarf);
  request.call_graph = "lbr";
  EXPECT_EQ(request.chains()->mode, CallgraphMode::Lbr);
  request.call_graph = "smoke";
  EXPECT_EQ(request.chains().error().kind, ErrorKind::Usage);
}

TEST(TraceRequest, ResolvesAddressesThatItShows) {
  EXPECT_FALSE(TraceRequest().resolves());
  const RequestCase cases[] = {
      {"page faults", [](TraceRequest& request) { request.faults = "maj"; }},
      {"callers", [](TraceRequest& request) { request.call_graph = "fp"; }},
      {"a limit of callers", [](TraceRequest& request) { request.max_stack = 0; }},
      {"a least depth", [](TraceRequest& request) { request.min_stack = 3; }},
      {"callers of an event", [](TraceRequest& request) { request.events.emplace_back().terms.callgraph = "fp"; }},
      {"a limit for an event", [](TraceRequest& request) { request.events.emplace_back().terms.max_stack = 2; }},
  };
  for (const RequestCase& each : cases) EXPECT_TRUE(request_with(each.set).resolves()) << each.what;
}

TEST(TraceRequest, SamplesWhatProgramsInTheKernelCannotDo) {
  EXPECT_FALSE(TraceRequest().wants_samples());
  const RequestCase sampled[] = {
      {"a frequency", [](TraceRequest& request) { request.events.emplace_back().terms.freq = 99; }},
      {"branches", [](TraceRequest& request) { request.call_graph = "lbr"; }},
      {"switches at calls", [](TraceRequest& request) { request.switch_on = "raw_syscalls:sys_enter"; }},
      {"callers in the kernel", [](TraceRequest& request) { request.kernel_graph = true; }},
      {"samples as text", [](TraceRequest& request) { request.print_samples = true; }},
      {"sums between switches",
       [](TraceRequest& request) {
         request.summary = true;
         request.switch_off = "app:end";
       }},
      {"sums of deep stacks",
       [](TraceRequest& request) {
         request.summary_too = true;
         request.min_stack = 2;
       }},
  };
  for (const RequestCase& each : sampled) EXPECT_TRUE(request_with(each.set).wants_samples()) << each.what;
  const RequestCase programs[] = {
      {"sums", [](TraceRequest& request) { request.summary = true; }},
      {"switches", [](TraceRequest& request) { request.switch_on = "app:begin"; }},
      {"copies of the stack", [](TraceRequest& request) { request.call_graph = "dwarf"; }},
  };
  for (const RequestCase& each : programs) EXPECT_FALSE(request_with(each.set).wants_samples()) << each.what;
}

TEST(TraceRequest, ReadsHitsBesidesCallsForOtherEvents) {
  EXPECT_FALSE(TraceRequest().wants_hits());
  const RequestCase cases[] = {
      {"an event", [](TraceRequest& request) { request.events.emplace_back(); }},
      {"run times", [](TraceRequest& request) { request.sched = true; }},
      {"page faults", [](TraceRequest& request) { request.faults = "min"; }},
      {"a switch", [](TraceRequest& request) { request.switch_off = "app:end"; }},
  };
  for (const RequestCase& each : cases) EXPECT_TRUE(request_with(each.set).wants_hits()) << each.what;
}

TEST(TraceRequest, HasAShortestDurationThatFits) {
  const auto ns = [](double ms) {
    TraceRequest request;
    request.least_ms = ms;
    return request.least_ns();
  };
  EXPECT_EQ(ns(0), 0u);
  EXPECT_EQ(ns(1.5), 1'500'000u);
  EXPECT_EQ(ns(1e13), 10'000'000'000'000'000'000u);
  EXPECT_EQ(ns(1e14), ~u64{0});
  EXPECT_EQ(ns(1e300), ~u64{0});
}

}  // namespace
}  // namespace peregrine
