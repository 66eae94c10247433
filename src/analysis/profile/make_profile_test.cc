#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/side_band.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/profile/call_costs.h"
#include "analysis/profile/profile.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "support/elf_image.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A Hists as filled by a collector for profiles, with the frames of support::ResolvedProgram.
struct MakeProfileTest : ::testing::Test {
  struct Given {
    u32 tid = 41;
    std::string_view comm = "shell";
    u64 time = 0, period = 1;
    u32 event = 0;
  };
  explicit MakeProfileTest(bool is_timed = true)
      : timed(is_timed), request{.keys = profile_keys(is_timed), .timed = is_timed, .event_names = {"cycles"}} {}

  Frame resolved(u64 ip) {
    return program.resolver.at(program.resolver.frame(program.context(), ip, abi::misc_bit::User));
  }
  HistFrame frame(u64 ip) {
    const Frame at = resolved(ip);
    return {.dso = at.dso ? at.dso.value : HistFrame::kNone,
            .symbol = at.symbol ? at.symbol.value : HistFrame::kNone,
            .address = at.symbol ? 0 : at.address};
  }
  // `chain`: outermost first.
  void add(const Given& given, const std::vector<HistFrame>& chain) {
    std::vector<HistFrameId> frames;
    for (const HistFrame& each : chain) frames.push_back(hists.frames().intern(each));
    program.machine.apply({abi::CommRecord{given.tid, given.tid, given.comm, false}, {}, 0, 0}, ++moment);
    std::vector<u64> group{given.event, program.machine.find_comm(given.comm)->value, given.tid};
    if (timed) group.push_back(given.time);
    group.push_back(support::ResolvedProgram::kPid);
    const Hists::Hit hit{.group = timed ? hists.groups().append(group) : hists.groups().intern(group),
                         .leaf = frames.empty() ? hists.frames().intern(HistFrame{}) : frames.back(),
                         .chain = hists.chains().insert(frames),
                         .period = given.period,
                         .ordinal = static_cast<u32>(moment)};
    timed ? hists.append(hit) : hists.add(hit);
  }
  Profile make() { return make_profile(hists, program.machine, nullptr, request); }
  // "main;f": the names of a sample's frames, outermost first.
  static std::string stack_of(const Profile& profile, const ProfileSample& sample) {
    std::string text;
    for (const HistFrameId frame : profile.stacks.frames(sample.stack))
      text += (text.empty() ? "" : ";") + frame_name(profile, profile.frames[frame.value]);
    return text;
  }

  support::ResolvedProgram program;
  bool timed;
  Hists hists{timed ? 5u : 4u};
  ProfileRequest request;
  Moment moment = 200;
};
struct UntimedProfileTest : MakeProfileTest {
  UntimedProfileTest() : MakeProfileTest(false) {}
};

TEST_F(MakeProfileTest, SamplesComeByTimeWithTheirThreadsAndStacks) {
  const HistFrame outer = frame(support::ResolvedProgram::kMapped), inner = frame(support::ResolvedProgram::kInner);
  add({.time = 300, .period = 7}, {outer, inner});
  add({.tid = 50, .comm = "other", .time = 100, .period = 5}, {outer});
  const Profile profile = make();
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(profile.samples[0].time, 100u);
  EXPECT_EQ(stack_of(profile, profile.samples[0]), "outer");
  EXPECT_EQ(stack_of(profile, profile.samples[1]), "outer;inner");
  EXPECT_EQ(profile.samples[1].period, 7u);
  ASSERT_EQ(profile.threads.size(), 2u);
  EXPECT_EQ(profile.text(profile.threads[profile.samples[0].thread].comm), "other");
  EXPECT_EQ(profile.threads[profile.samples[0].thread].tid, 50u);
  EXPECT_EQ(profile.threads[profile.samples[0].thread].pid, support::ResolvedProgram::kPid);
  EXPECT_EQ(profile.events.at(0).samples, 2u);
  EXPECT_EQ(profile.events.at(0).period, 12u);
}

TEST_F(MakeProfileTest, JoinsSamplesOfOneTimeThreadAndStack) {
  const HistFrame outer = frame(support::ResolvedProgram::kMapped), inner = frame(support::ResolvedProgram::kInner);
  add({.time = 100, .period = 1}, {outer});
  add({.tid = 50, .time = 100, .period = 2}, {outer});
  add({.time = 100, .period = 4}, {outer, inner});
  add({.time = 100, .period = 8}, {outer});
  add({.time = 101, .period = 16}, {outer});
  const Profile profile = make();
  std::vector<u64> periods;
  for (const ProfileSample& sample : profile.samples) periods.push_back(sample.period);
  EXPECT_THAT(periods, ElementsAre(9, 2, 4, 16));
  EXPECT_EQ(profile.samples.front().samples, 2u);
  EXPECT_EQ(profile.events.at(0).samples, 5u);
}

TEST_F(MakeProfileTest, FramesKnowTheirFunctionAndTheirFile) {
  add({}, {frame(support::ResolvedProgram::kInner)});
  const Profile profile = make();
  ASSERT_EQ(profile.frames.size(), 1u);
  const ProfileFrame& inner = profile.frames[0];
  EXPECT_EQ(profile.text(inner.symbol), "inner");
  EXPECT_EQ(inner.address, ElfImage::kTextOffset + 0x100) << "where the function begins";
  EXPECT_FALSE(inner.kernel || inner.jit || inner.inlined);
  EXPECT_EQ(inner.line, 0u) << "lines were not requested";
  ASSERT_EQ(profile.dsos.size(), 1u);
  EXPECT_EQ(profile.dsos[0].name, "shell");
  EXPECT_EQ(profile.dsos[0].path, program.file());
}

TEST_F(MakeProfileTest, PlacesWithoutAFunctionAreAddresses) {
  add({.time = 1}, {frame(support::ResolvedProgram::kMapped + 0x900)});
  add({.time = 2}, {{.address = 0x10}});
  const Profile profile = make();
  EXPECT_EQ(stack_of(profile, profile.samples.at(0)), "[shell]");
  EXPECT_EQ(stack_of(profile, profile.samples.at(1)), "[unknown]");
  EXPECT_EQ(profile.frame_of(profile.samples[1].stack).address, 0x10u);
}

TEST_F(MakeProfileTest, FramesThatReadTheSameAreOne) {
  // Two addresses in one function, which a collector with --by-address distinguishes.
  HistFrame first = frame(support::ResolvedProgram::kInner), second = first;
  first.address = 1;
  second.address = 2;
  add({.time = 1}, {first});
  add({.time = 2}, {second});
  const Profile profile = make();
  EXPECT_EQ(profile.frames.size(), 1u);
  EXPECT_EQ(profile.samples.at(0).stack, profile.samples.at(1).stack);
}

TEST_F(MakeProfileTest, SamplesWithoutAChainHaveNoFrames) {
  add({}, {});
  const Profile profile = make();
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(profile.samples[0].stack, kRootChain);
  EXPECT_THAT(profile.frames, IsEmpty()) << "only frames in chains are exported";
}

TEST_F(MakeProfileTest, AThreadHasAnEntryForEachName) {
  add({.comm = "shell", .time = 1}, {});
  add({.comm = "renamed", .time = 2}, {});
  add({.comm = "shell", .time = 3}, {});
  const Profile profile = make();
  ASSERT_EQ(profile.threads.size(), 2u);
  EXPECT_EQ(profile.threads[0].tid, profile.threads[1].tid);
  EXPECT_EQ(profile.samples.at(0).thread, profile.samples.at(2).thread);
}

TEST_F(MakeProfileTest, NamesEventsWithoutANameUnknown) {
  add({.event = 2}, {});
  const Profile profile = make();
  std::vector<std::string> names;
  for (const ProfileEvent& event : profile.events) names.push_back(event.name);
  EXPECT_THAT(names, ElementsAre("cycles", "unknown", "unknown"));
  EXPECT_EQ(profile.events[2].samples, 1u);
}

TEST_F(MakeProfileTest, EventsOfClocksCountNanosecondsAndTracepointsAreInstants) {
  data::Evlist evlist;
  const auto add_event = [&](abi::EventType type, u64 config) {
    data::Event event;
    event.attr.type = static_cast<u32>(type);
    event.attr.config = config;
    evlist.add(std::move(event));
  };
  add_event(abi::EventType::Software, static_cast<u64>(abi::SoftwareEvent::CpuClock));
  add_event(abi::EventType::Software, static_cast<u64>(abi::SoftwareEvent::PageFaults));
  add_event(abi::EventType::Tracepoint, static_cast<u64>(abi::SoftwareEvent::TaskClock));
  request.event_names = {"cpu-clock", "faults", "sched:sched_switch"};
  request.evlist = &evlist;
  const Profile profile = make();
  EXPECT_TRUE(profile.events[0].nanoseconds && !profile.events[0].instant);
  EXPECT_FALSE(profile.events[1].nanoseconds || profile.events[1].instant);
  EXPECT_TRUE(!profile.events[2].nanoseconds && profile.events[2].instant);
}

TEST_F(UntimedProfileTest, ComesByTheFirstSampleOfEachStack) {
  const HistFrame outer = frame(support::ResolvedProgram::kMapped), inner = frame(support::ResolvedProgram::kInner);
  add({.period = 1}, {inner});
  add({.period = 2}, {outer});
  add({.period = 4}, {inner});
  const Profile profile = make();
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(stack_of(profile, profile.samples[0]), "inner");
  EXPECT_EQ(profile.samples[0].samples, 2u);
  EXPECT_EQ(profile.samples[0].period, 5u);
  EXPECT_EQ(profile.samples[0].time, 0u);
  EXPECT_FALSE(profile.timed);
}

TEST_F(UntimedProfileTest, CostsOfCallsAddUpToTheProfile) {
  const HistFrame outer = frame(support::ResolvedProgram::kMapped), inner = frame(support::ResolvedProgram::kInner);
  add({.period = 3}, {outer, inner});
  add({.period = 5}, {outer});
  add({.period = 7}, {});
  const CallCosts costs = call_costs(make());
  u64 own = 0;
  for (const CallCosts::Body& body : costs.bodies)
    for (const CallCosts::Line& line : body.lines) own += line.costs.at(0);
  EXPECT_EQ(own, 15u);
  EXPECT_THAT(costs.total, ElementsAre(15u, 3u));
}

TEST(ProfileKeys, AreWhatAProfileReads) {
  EXPECT_EQ(profile_keys(false), (std::vector<SortKey>{SortKey::Comm, SortKey::Pid}));
  EXPECT_EQ(profile_keys(true), (std::vector<SortKey>{SortKey::Comm, SortKey::Pid, SortKey::Time}));
  EXPECT_EQ(profile_keys(true, true),
            (std::vector<SortKey>{SortKey::Comm, SortKey::Pid, SortKey::Time, SortKey::Trace}));
}

}  // namespace
}  // namespace peregrine
