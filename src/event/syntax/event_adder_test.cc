#include "event/syntax/event_adder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "abi/attr.h"
#include "event/syntax/event_hint.h"
#include "event/syntax/parse.h"
#include "support/machine.h"

namespace peregrine {
namespace {

// A machine with sched:sched_switch (1), sched:sched_wakeup (2) and sdt_app:start (3) in tracefs.
class TracedMachineTest : public ::testing::Test {
 protected:
  TracedMachineTest() : sources_(machine_.root()) {
    machine_.write("/sys/kernel/tracing/events/header_page = page");
    add_tracepoint("sched/sched_switch", 1);
    add_tracepoint("sched/sched_wakeup", 2);
    add_tracepoint("sdt_app/start", 3);
    machine_.write("software/type = 1");
  }
  void add_tracepoint(std::string_view path, unsigned id) {
    machine_.write(fmt::format("/sys/kernel/tracing/events/{}/id = {}", path, id));
  }

  // "NAME id" for each event, sorted; or the lines of the error below the caret.
  std::string events(std::string_view words) {
    EventList list;
    if (const auto done = parse_events(words, sources_, list); !done) {
      const std::string& message = done.error().message;
      return message.substr(message.find("\\___ ") + 5) + (done.error().hint.empty() ? "" : " / ") + done.error().hint;
    }
    std::vector<std::string> names;
    for (const EventSpec& spec : list) names.push_back(fmt::format("{} {}", spec.name, spec.attr.config));
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  testing::Machine machine_;
  EventSources sources_;
};

TEST_F(TracedMachineTest, TracepointsHaveTheirIds) {
  EXPECT_EQ(events("sched:sched_switch"), "sched:sched_switch 1");
  EXPECT_EQ(events("sched:*"), "sched:sched_switch 1, sched:sched_wakeup 2");
  EXPECT_EQ(events("s*:s*"), "sched:sched_switch 1, sched:sched_wakeup 2, sdt_app:start 3");
  EXPECT_EQ(events("sched:sched_[sw]*"), "sched:sched_switch 1, sched:sched_wakeup 2");
  EXPECT_EQ(events("{sched:*}:u"), "sched:sched_switch 1, sched:sched_wakeup 2");
}

TEST_F(TracedMachineTest, UnknownTracepointsNameTheFile) {
  EXPECT_EQ(
      events("sched:sched_swich"),
      "unknown tracepoint\n\nError:\tFile /sys/kernel/tracing/events/sched/sched_swich not found.\n / did you mean "
      "'sched:sched_switch'?");
  EXPECT_EQ(
      events("shced:x"),
      "unknown tracepoint\n\nError:\tFile /sys/kernel/tracing/events/shced/x not found.\n / did you mean 'sched'?");
  EXPECT_TRUE(events("shced:sched_switch").ends_with(" / did you mean 'sched:sched_switch'?"));
  EXPECT_TRUE(events("shced:sched_swich").ends_with(" / did you mean 'sched:sched_switch'?"));
  EXPECT_EQ(events("fs_something:x"),
            "unknown tracepoint\n\nError:\tFile /sys/kernel/tracing/events/fs_something/x not found.\n / Perhaps this "
            "kernel misses some CONFIG_ setting to enable this feature?");
  EXPECT_EQ(
      events("sched:no*"),
      "unknown tracepoint\n\nError:\tFile /sys/kernel/tracing/events/sched/no* not found.\n / Perhaps this kernel "
      "misses some CONFIG_ setting to enable this feature?");
}

TEST_F(TracedMachineTest, PathsAreNoTracepoints) {
  EXPECT_TRUE(events("..:x").starts_with("unknown tracepoint")) << events("..:x");
  EXPECT_TRUE(events("sched:..").starts_with("unknown tracepoint")) << events("sched:..");
}

TEST_F(TracedMachineTest, TracepointsTakeTermsOfTheRecordingOnly) {
  EventList list;
  ASSERT_TRUE(parse_events("sched:sched_switch/call-graph=fp,max-stack=3/u", sources_, list));
  EXPECT_EQ(list[0].terms.callgraph, "fp");
  EXPECT_EQ(list[0].terms.max_stack, 3u);
  EXPECT_TRUE(list[0].attr.has(abi::attr_flag::ExcludeKernel));
  EXPECT_EQ(events("sched:sched_switch/period=5/"),
            "unknown term\n\nvalid terms: call-graph,stack-size,max-stack,nr,inherit,no-inherit,overwrite\n");
  EXPECT_EQ(events("sched:sched_switch:u/nr=1/"), "put modifiers after the last '/'");
}

// Markers in programs become tracepoints when they are defined.
TEST_F(TracedMachineTest, MarkersAreDefinedWhenTheyAreNamed) {
  std::vector<std::string> asked;
  sources_.define_markers = [&](const std::string& system, const std::string& event, bool some_exist) -> Result<bool> {
    asked.push_back(fmt::format("{}:{}{}", system, event, some_exist ? " more" : ""));
    if (event == "broken") return fail(ErrorKind::NotFound, "there is no program for it");
    if (event == "stop") add_tracepoint("sdt_app/stop", 4);
    return true;
  };
  EXPECT_EQ(events("sdt_app:start"), "sdt_app:start 3");  // already defined
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(events("sdt_app:stop"), "sdt_app:stop 4");
  EXPECT_EQ(events("sdt_app:*"), "sdt_app:start 3, sdt_app:stop 4");
  EXPECT_EQ(events("sched:sched_switch"), "sched:sched_switch 1");
  EXPECT_EQ(asked, (std::vector<std::string>{"sdt_app:stop", "sdt_app:* more"}));
  EXPECT_TRUE(events("sdt_app:broken").starts_with("unknown tracepoint\n\nError:\tthere is no program for it"))
      << events("sdt_app:broken");
}

TEST_F(TracedMachineTest, NumbersChooseTypeAndConfig) {
  EXPECT_EQ(events("1:2"), "1:2 2");
  EXPECT_EQ(events("0x4:0x80a2:u"), "0x4:0x80a2:u 32930");
  EXPECT_EQ(events("4294967296:0"), "parser error");
  EXPECT_EQ(events("1:x"), "parser error");
  EXPECT_EQ(events("1:2:xyz"),
            "Bad modifier / valid modifiers: u k h (modes), p pp ppp P (precise), G H I S D W e b R");
}

TEST(MachineWithoutTracefs, SaysHowToMountIt) {
  const testing::Machine machine;
  EventSources sources(machine.root());
  EventList list;
  const auto refused = parse_events("sched:sched_switch", sources, list);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("unknown tracepoint\n\nError:\tUnable to find tracefs"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().hint, "Try 'sudo mount -t tracefs nodev /sys/kernel/tracing'");
}

// What an event may count regardless of its text: also guests, or only guests.
TEST(EventsOfGuests, FollowTheSources) {
  const testing::Machine machine;
  EventSources sources(machine.root());
  sources.guest = true;
  sources.host = false;
  EventList list;
  EXPECT_FALSE(EventAdder(sources, list).new_spec(0, 0).attr.has(abi::attr_flag::ExcludeGuest));
  EXPECT_TRUE(EventAdder(sources, list).new_spec(0, 0).attr.has(abi::attr_flag::ExcludeHost));
  sources.guest = false;
  sources.host = true;
  EXPECT_TRUE(EventAdder(sources, list).new_spec(0, 0).attr.has(abi::attr_flag::ExcludeGuest));
}

TEST(EventHints, SuggestTheNearestName) {
  const std::vector<std::string> names{"cycles", "instructions", "dTLB-loads"};
  EXPECT_EQ(did_you_mean("cycle", names), "did you mean 'cycles'?");
  EXPECT_EQ(did_you_mean("CYCLES", names), "did you mean 'cycles'?");
  EXPECT_EQ(did_you_mean("cycle", names, "cpu:"), "did you mean 'cpu:cycles'?");
  EXPECT_EQ(did_you_mean("something", names), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(EventHints, SayWhatReplacedOldCalls) {
  EXPECT_EQ(undefined_event_hint("syscalls", "sys_enter_waitpid"),
            "programs of this machine do not call waitpid: use syscalls:sys_enter_{wait4,waitid}");
  EXPECT_EQ(undefined_event_hint("syscalls", "sys_exit_sigaction"),
            "programs of this machine do not call sigaction: use syscalls:sys_exit_{rt_sigaction}");
  EXPECT_EQ(undefined_event_hint("syscalls", "sys_enter_openat"), "");
  EXPECT_EQ(undefined_event_hint("syscalls", "ipc"), "");
  EXPECT_EQ(undefined_event_hint("syscalls", ""), "");
}

TEST(EventHints, NameTheKindsOfCores) {
  const std::vector<Pmu> hybrid{{.name = "cpu_core"}, {.name = "cpu_atom"}, {.name = "uncore_imc_0"}};
  EXPECT_EQ(missing_pmu_hint("cpu", hybrid), "this processor has several kinds of cores: use cpu_atom or cpu_core");
  EXPECT_EQ(missing_pmu_hint("cpu_cor", hybrid), "did you mean 'cpu_core'?");
  EXPECT_EQ(missing_pmu_hint("something_else", hybrid), "PMUs of this machine: cpu_atom, cpu_core, uncore_imc");
  EXPECT_EQ(missing_pmu_hint("something_else", {}), "");
}

TEST(EventHints, AMissingPmuIsNoEvent) {
  const std::vector<Pmu> virtual_machine{{.name = "software"}, {.name = "msr"}};
  EXPECT_EQ(missing_pmu_hint("cpu", virtual_machine), "PMUs of this machine: msr, software");
}

TEST(EventHints, KnowSourcesOfBpfPrograms) {
  for (const char* word : {"prog.c", "./dir/prog.o", "prog.c/map:channel.event=evt/"})
    EXPECT_TRUE(is_bpf_source(word)) << word;
  for (const char* word : {"cycles", "prog.cc", "c", "prog.c/event=1/", ""}) EXPECT_FALSE(is_bpf_source(word)) << word;
}

TEST(EventHints, GenericNamesIncludeAliases) {
  const auto names = generic_names();
  for (const std::string_view name : {"cycles", "cpu-cycles", "cs", "context-switches", "duration_time"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  EXPECT_EQ(std::ranges::find(names, ""), names.end());
}

}  // namespace
}  // namespace peregrine
