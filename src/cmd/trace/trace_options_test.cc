#include "cmd/trace/trace_options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "cmd/command_table.h"
#include "cmd/test_options.h"
#include "output/text/trace/trace_line.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine::cmd {
namespace {

Result<TraceRequest> traced(const std::vector<std::string>& arguments, std::vector<Setting> settings = {}) {
  auto options = options_of<TraceOptions>(kTrace, arguments, std::move(settings));
  if (!options) return std::unexpected(std::move(options.error()));
  return std::move(options->live.trace);
}
std::string not_traced(const std::vector<std::string>& arguments) {
  return refusal_of<TraceOptions>(kTrace, arguments);
}

TEST(TraceChoices, ProcessesAreExcludedByTheirIds) {
  EXPECT_EQ(traced({"--filter-pids", "1,22"})->excluded, (std::vector<Pid>{1, 22}));
  EXPECT_EQ(traced({"--filter-pids", "1", "--filter-pids", "22"})->excluded, (std::vector<Pid>{1, 22}));
  EXPECT_EQ(not_traced({"--filter-pids", "1,x"}), "invalid --filter-pids 'x': must be process IDs");
  EXPECT_EQ(not_traced({"--filter-pids", "1,,2"}), "invalid --filter-pids '': must be process IDs");
}

TEST(TraceChoices, ExpressionsAreNotEmpty) {
  for (const char* option : {"--where", "--agg", "--format"})
    EXPECT_EQ(not_traced({option, ""}), std::string(option) + " must not be empty");
  EXPECT_EQ(traced({"--where", "ret < 0", "--no-where"})->report.where, "");
}

TEST(TraceChoices, FaultsHaveAKind) {
  for (const char* kind : {"all", "maj", "min"}) EXPECT_EQ(traced({"-F", kind})->faults, kind);
  EXPECT_EQ(not_traced({"-F", "major"}), "invalid -F 'major': must be all, maj or min");
}

TEST(TraceChoices, SummariesAreByThreadUnlessAskedOtherwise) {
  EXPECT_EQ(traced({})->summary_by, SumBy::Thread);
  EXPECT_EQ(traced({"--summary-mode", "total"})->summary_by, SumBy::Total);
  EXPECT_EQ(traced({"--summary-mode", "cgroup"})->summary_by, SumBy::Cgroup);
  EXPECT_EQ(traced({"--summary-mode=total", "--no-summary-mode"})->summary_by, SumBy::Thread);
  EXPECT_EQ(not_traced({"--summary-mode", "cpu"}), "invalid --summary-mode 'cpu': must be thread, total or cgroup");
}

TEST(TraceChoices, ChildrenAreFollowedUnlessPerfconfigOrAnOptionSaysNo) {
  EXPECT_TRUE(traced({})->inherit);
  EXPECT_FALSE(traced({"--no-inherit"})->inherit);
  EXPECT_FALSE(traced({}, {{"trace.no_inherit", "yes"}})->inherit);
  EXPECT_TRUE(traced({"--inherit"}, {{"trace.no_inherit", "yes"}})->inherit);
}

TEST(TraceChoices, UsersMustExist) {
  EXPECT_EQ(traced({"-u", "0"})->target.user, "0");
  EXPECT_NE(not_traced({"-u", "no such user"}), "accepted");
}

TEST(TraceChoices, TakeBackWhatWasChosen) {
  const auto taken_back =
      traced({"-u", "0", "--no-uid", "-F", "all", "--no-pf", "--filter-pids", "1,2", "--no-filter-pids"});
  ASSERT_TRUE(taken_back) << taken_back.error().message;
  EXPECT_EQ(taken_back->target.user, "");
  EXPECT_EQ(taken_back->faults, "");
  EXPECT_TRUE(taken_back->excluded.empty());
}

TEST(TraceChoices, CallsAreNamesGlobsOrAllBut) {
  EXPECT_TRUE(traced({"-e", "open*,close"})->calls.any());
  EXPECT_TRUE(traced({"-e", "!futex"})->calls.any());
  EXPECT_FALSE(traced({})->calls.any());
  EXPECT_TRUE(traced({"--expr", "read"})->calls.any()) << "another name of -e";
}

TEST(TraceChoices, UnknownEventsMayBeMistypedCalls) {
  const auto refused = traced({"-e", "opena"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "did you mean 'openat'?");
}

TEST(TraceChoices, EventsAreTracedBesideCalls) {
  const auto both = traced({"-e", "openat,cpu-clock"});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->events.size(), 1u);
  EXPECT_EQ(both->event_options, (std::vector<std::string>{"-e", "cpu-clock"})) << "trace record passes them to record";
  EXPECT_TRUE(both->wants_calls());
  EXPECT_FALSE(traced({"-e", "cpu-clock"})->wants_calls()) << "events alone switch calls off";
  EXPECT_TRUE(traced({"-e", "cpu-clock", "--syscalls"})->wants_calls());
  EXPECT_FALSE(traced({"--no-syscalls"})->wants_calls());
  EXPECT_FALSE(traced({"-F", "min"})->wants_calls()) << "so do page faults";
}

TEST(TraceChoices, FiltersFollowTheirEvent) {
  EXPECT_EQ(not_traced({"--filter", "x == 1"}), "--filter option should follow a -e tracepoint or HW tracer option");
}

TEST(TraceChoices, LinesHaveAStyle) {
  const TraceStyle usual = traced({})->style;
  EXPECT_TRUE(usual.show_comm && usual.show_names && usual.show_duration && usual.show_time);
  EXPECT_FALSE(usual.absolute_time || usual.show_zeros);
  EXPECT_EQ(usual.alignment, 70u);
  EXPECT_TRUE(traced({"-T"})->style.absolute_time);
  EXPECT_FALSE(traced({"--no-comm"})->style.show_comm);
}

TEST(TraceChoices, PerfconfigSaysHowLinesLook) {
  struct Case {
    const char* key;
    bool TraceStyle::* member;
  };
  for (const Case& test : {Case{"trace.show_arg_names", &TraceStyle::show_names},
                           {"trace.show_duration", &TraceStyle::show_duration},
                           {"trace.show_timestamp", &TraceStyle::show_time},
                           {"trace.show_zeros", &TraceStyle::show_zeros}}) {
    SCOPED_TRACE(test.key);
    EXPECT_FALSE(traced({}, {{test.key, "no"}})->style.*test.member);
    EXPECT_TRUE(traced({}, {{test.key, "yes"}})->style.*test.member);
    EXPECT_EQ(traced({}, {{test.key, "perhaps"}}).error().message,
              std::string("bad config value 'perhaps' for ") + test.key + ": must be true or false");
  }
}

TEST(TraceChoices, ResultsAreAlignedWithinReason) {
  const auto alignment = [](const char* value) {
    return traced({}, {{"trace.args_alignment", value}})->style.alignment;
  };
  EXPECT_EQ(alignment("40"), 40u);
  EXPECT_EQ(alignment("0"), 0u);
  EXPECT_EQ(alignment("-5"), 0u);
  EXPECT_EQ(alignment("1000000000000"), 1000u);
  EXPECT_FALSE(traced({}, {{"trace.args_alignment", "wide"}}));
}

TEST(TraceChoices, DurationsAreMillisecondsWithAFraction) {
  EXPECT_EQ(traced({"--duration", "1.5"})->least_ns(), 1'500'000u);
  EXPECT_EQ(traced({})->least_ns(), 0u);
  EXPECT_EQ(traced({"--duration", "1e30"})->least_ns(), ~u64{0}) << "no call takes as long";
  EXPECT_EQ(not_traced({"--duration", "long"}), "option `duration' expects a numerical value");
}

TEST(TraceChoices, SummariesReplaceLinesOrFollowThem) {
  EXPECT_FALSE(traced({})->summing());
  EXPECT_TRUE(traced({"-s"})->summary);
  EXPECT_FALSE(traced({"-s"})->summary_too);
  EXPECT_TRUE(traced({"-S"})->summary_too);
  EXPECT_TRUE(traced({"-s"})->summing() && traced({"-S"})->summing());
  EXPECT_EQ(traced({"-s", "--max-summary", "3"})->summary_rows, 3u);
}

TEST(TraceChoices, DepthsAndBuffersMayBeZero) {
  EXPECT_EQ(traced({})->max_stack, std::nullopt);
  EXPECT_EQ(traced({"--max-stack", "0"})->max_stack, 0u);
  EXPECT_EQ(traced({"--min-stack", "3"})->min_stack, 3u);
  EXPECT_EQ(traced({})->buffer_bytes, std::nullopt);
  EXPECT_EQ(traced({"--buffers", "0"})->buffer_bytes, 0u) << "addresses only";
  EXPECT_EQ(traced({"--buffers=64", "--no-buffers"})->buffer_bytes, std::nullopt);
}

TEST(TraceChoices, RingsHaveAPowerOfTwoOfPages) {
  EXPECT_EQ(traced({"-m", "4M"})->ring_bytes, std::size_t{4} << 20);
  EXPECT_EQ(not_traced({"-m", "0"}), "Invalid argument for --mmap_pages/-m");
}

}  // namespace
}  // namespace peregrine::cmd
