#include "analysis/hist/collector/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/side_band.h"
#include "analysis/hist/entry/group_table.h"
#include "machine/process/moment.h"
#include "support/resolved_program.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr u64 kOuter = support::ResolvedProgram::kMapped, kInner = support::ResolvedProgram::kInner;
constexpr u64 kUnnamed = kOuter + 0x900;  // in the program's map, but in none of its functions
constexpr u64 kUnmapped = 0x10;

// Samples of the process 40 "shell" and its thread 41, collected as specified by `request`.
struct CollectorTest : ::testing::Test {
  struct Given {
    u64 ip = kInner;
    std::vector<u64> callers = {};  // innermost first; empty: no callchain
    u64 period = 1;
    u64 weight = 0;
    u32 cpu = 0;
    std::vector<abi::BranchEntry> branches = {};
  };
  HistCollector& collector(unsigned workers = 1) {
    if (!made) {
      auto made_now = HistCollector::make(request);
      EXPECT_TRUE(made_now) << (made_now ? "" : made_now.error().message);
      made = std::move(*made_now);
      made->begin(workers);
    }
    return *made;
  }
  void add(const Given& given, unsigned worker = 0) {
    std::vector<u64> chain;
    if (!given.callers.empty()) {
      chain = {abi::kContextUser, given.ip};
      chain.insert(chain.end(), given.callers.begin(), given.callers.end());
    }
    abi::Sample sample;
    sample.fields = abi::sample_bit::Cpu;
    sample.misc = abi::misc_bit::User;
    sample.ip = given.ip;
    sample.time = 1000 + moment;
    sample.weight = given.weight;
    sample.cpu = given.cpu;
    sample.callchain = chain;
    sample.branches = given.branches;
    collector(worker + 1)
        .sample({.sample = sample,
                 .context = program.context(),
                 .event = 0,
                 .period = given.period,
                 .moment = moment++,
                 .file_offset = 0},
                program.resolver, worker);
  }
  void apply(const abi::SideBand& side_band, Moment at, unsigned worker = 0) {
    const abi::RecordView record{};
    collector().side_band({.record = record, .side_band = &side_band, .time = 0, .event = 0, .moment = at},
                          program.resolver, worker);
  }

  std::string name_of(const HistFrame& frame) const {
    if (frame.symbol != HistFrame::kNone)
      return program.machine.dsos().symbol_name(DsoId(frame.dso), SymbolIndex(frame.symbol));
    return frame.dso == HistFrame::kNone ? "unmapped" : frame.address == 0 ? "unnamed" : "an address";
  }
  // The period of each entry, keyed by "sampled place: chain, outermost first".
  std::map<std::string, u64> entries(const Hists& hists) const {
    std::map<std::string, u64> result;
    for (const HistEntry& entry : hists.entries()) {
      std::string text = name_of(hists.frames()[HistFrameId(entry.leaf)]) + ":";
      for (const HistFrameId frame : hists.chains().frames(ChainId(entry.chain)))
        text += " " + name_of(hists.frames()[frame]);
      result[text] += entry.period;
    }
    return result;
  }

  support::ResolvedProgram program;
  CollectRequest request;
  std::unique_ptr<HistCollector> made;
  Moment moment = 2;
};

TEST_F(CollectorTest, SumsSamplesByFunctionAndChain) {
  add({.ip = kInner, .callers = {kOuter + 8}, .period = 10});
  add({.ip = kInner + 4, .callers = {kOuter + 16}, .period = 20});
  add({.ip = kInner, .period = 5});
  add({.ip = kOuter, .period = 7});
  const Hists hists = collector().finish();
  EXPECT_THAT(entries(hists), ElementsAre(Pair("inner:", 5), Pair("inner: outer inner", 30), Pair("outer:", 7)));
  EXPECT_EQ(hists.totals(0).samples, 4u);
  EXPECT_EQ(hists.totals(0).period, 42u);
  EXPECT_EQ(hists.totals(0).chain_period, 30u);
  EXPECT_EQ(hists.totals(0).shown_period, 42u);
}

TEST_F(CollectorTest, WithoutChainsOnlyThePlaceCounts) {
  request.chains = false;
  add({.callers = {kOuter}});
  EXPECT_THAT(entries(collector().finish()), ElementsAre(Pair("inner:", 1)));
}

TEST_F(CollectorTest, ForPicturesOnlyTheChainCounts) {
  request.by_leaf = false;
  request.leaf_chains = true;
  add({.callers = {kOuter}});
  add({.ip = kOuter});
  EXPECT_THAT(entries(collector().finish()), ElementsAre(Pair("unmapped: outer", 1), Pair("unmapped: outer inner", 1)));
}

// Each filter, and how many of the three samples pass it. All of them count in the totals.
TEST_F(CollectorTest, FilteredSamplesCountInTheTotalsOnly) {
  const struct Case {
    const char* name;
    HistFilter filter;
    u64 passed;
  } cases[] = {
      {"comm", {.comms = {"shell"}}, 3},
      {"other comm", {.comms = {"sh"}}, 0},
      {"short dso", {.dsos = {"shell"}}, 2},
      {"long dso", {.dsos = {program.file()}}, 2},
      {"symbol", {.symbols = {"inner", "gone"}}, 1},
      {"pid", {.pids = {40}}, 3},
      {"tid is not a pid", {.pids = {41}}, 0},
      {"tid", {.tids = {41, 7}}, 3},
      {"socket", {.socket = 1}, 1},
      {"both must hold", {.symbols = {"inner"}, .tids = {7}}, 0},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    made.reset();
    request.filter = each.filter;
    request.socket_of_cpu = {0, 1};
    add({.ip = kInner, .cpu = 0});
    add({.ip = kOuter, .cpu = 1});
    add({.ip = kUnmapped, .cpu = 2});  // a CPU missing from the recording's topology
    const Hists hists = collector().finish();
    EXPECT_EQ(hists.totals(0).samples, 3u);
    EXPECT_EQ(hists.totals(0).shown_samples, each.passed);
  }
}

TEST_F(CollectorTest, HiddenUnresolvedPlacesAreNotEvenCounted) {
  request.filter.hide_unresolved = true;
  add({.ip = kUnnamed});
  add({.ip = kInner, .callers = {kUnnamed, kOuter}});
  const Hists hists = collector().finish();
  EXPECT_THAT(entries(hists), ElementsAre(Pair("inner: outer inner", 1)));
  EXPECT_EQ(hists.totals(0).samples, 1u);
}

TEST_F(CollectorTest, PlacesWithoutANameAreToldApartByAddressOrNot) {
  const struct Case {
    UnknownFrames unknown;
    std::size_t places, frames_of_chain;
  } cases[] = {{UnknownFrames::ByAddress, 2, 3}, {UnknownFrames::ByDso, 1, 3}, {UnknownFrames::Joined, 1, 2}};
  for (const Case& each : cases) {
    made.reset();
    request.unknown_frames = each.unknown;
    add({.ip = kUnnamed});
    add({.ip = kUnnamed + 8});
    EXPECT_EQ(collector().finish().entries().size(), each.places);
    made.reset();
    add({.ip = kUnnamed, .callers = {kUnnamed + 8, kOuter}});
    const Hists hists = collector().finish();
    EXPECT_EQ(hists.chains().depth(ChainId(hists.entries()[0].chain)), each.frames_of_chain);
  }
}

TEST_F(CollectorTest, TheParentIsTheInnermostCallerThatMatches) {
  request.keys = {SortKey::Parent};
  request.parent = "^(outer|inner)$";
  const auto parents = [&](const Hists& hists) {
    std::vector<std::string> names;
    for (u32 at = 0; at < hists.groups().size(); ++at)
      names.push_back(name_of(hists.frames()[HistFrameId(static_cast<u32>(hists.groups()[GroupId(at)][1]))]));
    return names;
  };
  add({.ip = kInner, .callers = {kOuter}});
  add({.ip = kOuter});  // without a chain there is no parent
  EXPECT_THAT(parents(collector().finish()), ElementsAre("inner", "unmapped"));
  made.reset();
  request.outermost_first = true;
  request.filter.exclude_other = true;
  add({.ip = kInner, .callers = {kOuter}});
  add({.ip = kOuter});
  const Hists hists = collector().finish();
  EXPECT_EQ(parents(hists)[0], "outer");
  EXPECT_EQ(hists.entries().size(), 1u) << "samples without a parent are left out";
}

TEST_F(CollectorTest, CalleesOfIgnoredFunctionsAreTheirs) {
  request.ignore_callees = "outer";
  add({.ip = kInner, .callers = {kOuter}, .period = 4});
  add({.ip = kInner, .period = 2});
  EXPECT_THAT(entries(collector().finish()), ElementsAre(Pair("inner:", 2), Pair("outer: outer", 4)));
}

TEST_F(CollectorTest, BadPatternsNameTheirOption) {
  const auto message = [](CollectRequest wrong) {
    const auto collector = HistCollector::make(std::move(wrong));
    return collector ? "" : collector.error().message;
  };
  EXPECT_THAT(message({.parent = "sys_("}), ::testing::StartsWith("--parent: invalid regular expression 'sys_('"));
  EXPECT_THAT(message({.ignore_callees = "["}), ::testing::StartsWith("--ignore-callees: invalid regular expression"));
}

TEST_F(CollectorTest, DeepChainsKeepTheirInnermostFrames) {
  request.max_stack = 2;
  add({.ip = kInner, .callers = {kOuter, kInner, kOuter}});
  EXPECT_THAT(entries(collector().finish()), ElementsAre(Pair("inner: outer inner", 1)));
}

TEST_F(CollectorTest, CanWeighSamplesByWhatTheirAccessCost) {
  request.by_weight = true;
  add({.period = 1000, .weight = 30});
  add({.period = 1000, .weight = 0});  // unknown, so at least one
  EXPECT_EQ(collector().finish().totals(0).period, 31u);
}

TEST_F(CollectorTest, CountsBranchesAtTheirTargets) {
  request.branches = true;
  request.keys = {SortKey::AddressFrom};
  request.branch_addresses = true;
  add({.ip = kUnmapped,
       .period = 1000,
       .branches = {{.from = kOuter + 8, .to = kInner}, {.from = kOuter + 16, .to = kInner}, {.from = 1, .to = 2}}});
  const Hists hists = collector().finish();
  EXPECT_THAT(entries(hists), ElementsAre(Pair("inner:", 2), Pair("unmapped:", 1)));
  EXPECT_EQ(hists.totals(0).samples, 3u);
  EXPECT_EQ(hists.totals(0).period, 3u) << "the sample's period is not the branches'";
  EXPECT_EQ(hists.entries().size(), 3u) << "they come from different places";
}

// Newest first: between the target of a branch and the source of the next one, the code ran without branching.
TEST_F(CollectorTest, CountsBlocksBetweenBranchesByTheirCycles) {
  request.blocks = true;
  add({.branches = {{.from = kInner + 0x20, .to = kOuter, .cycles = 9},      // inner+0x10 to inner+0x20: 9 cycles
                    {.from = kInner + 4, .to = kInner + 0x10, .cycles = 0},  // unknown cycles
                    {.from = kOuter + 8, .to = kInner, .cycles = 5},         // ends in a different function
                    {.from = kInner, .to = kInner + 0x80, .cycles = 3}}});
  EXPECT_THAT(entries(collector().finish()), ElementsAre(Pair("inner:", 9)));
}

TEST_F(CollectorTest, KeepsSomeSamplesForInspection) {
  request.kept_samples = 2;
  for (int i = 0; i < 10; ++i) add({.cpu = 3});
  const Hists hists = collector().finish();
  ASSERT_GE(hists.kept().of(0).size(), 2u);
  EXPECT_EQ(hists.kept().most(), 2u);
  EXPECT_EQ(hists.kept().of(0)[0].tid, 41u);
  EXPECT_EQ(hists.kept().of(0)[0].cpu, 3);
}

TEST_F(CollectorTest, WorkersTogetherCountWhatOneCounts) {
  const std::vector<Given> samples = {{.ip = kInner, .callers = {kOuter}, .period = 1},
                                      {.ip = kOuter, .period = 2},
                                      {.ip = kInner, .callers = {kOuter}, .period = 4},
                                      {.ip = kUnmapped, .callers = {kUnnamed}, .period = 8}};
  for (const Given& given : samples) add(given);
  const auto alone = entries(collector().finish());
  made.reset();
  static_cast<void>(collector(2));
  for (std::size_t at = 0; at < samples.size(); ++at) add(samples[at], at % 2);
  const Hists hists = collector().finish();
  EXPECT_EQ(entries(hists), alone);
  EXPECT_EQ(hists.totals(0).samples, 4u);
}

TEST_F(CollectorTest, ALiveProfileIsLookedAtOrTaken) {
  add({.period = 3});
  EXPECT_THAT(entries(collector().look()), ElementsAre(Pair("inner:", 3)));
  EXPECT_THAT(entries(collector().take()), ElementsAre(Pair("inner:", 3))) << "a look changes nothing";
  EXPECT_THAT(entries(collector().look()), IsEmpty());
  add({.period = 4});
  EXPECT_THAT(entries(collector().finish()), ElementsAre(Pair("inner:", 4)));
}

TEST_F(CollectorTest, WithoutAReplayThereIsAnEmptyProfile) {
  request.keys = {SortKey::Comm};
  const auto untouched = HistCollector::make(request);
  ASSERT_TRUE(untouched);
  const Hists hists = (*untouched)->finish();
  EXPECT_THAT(hists.entries(), IsEmpty());
  EXPECT_EQ(hists.groups().stride(), 2u);
}

TEST_F(CollectorTest, CountersOfThreadsComeInRecordingOrder) {
  const abi::ReadValue first{.value = 11}, second{.value = 22};
  apply({.body = abi::ReadRecord{40, 41, {.values = std::span(&second, 1)}}}, 9);
  apply({.body = abi::ReadRecord{40, 42, {.values = std::span(&first, 1)}}}, 4);
  apply({.body = abi::ReadRecord{40, 43, {}}}, 5);  // without a value
  std::vector<std::pair<u32, u64>> reads;
  for (const ThreadRead& read : collector().thread_reads()) reads.emplace_back(read.tid, read.value);
  EXPECT_THAT(reads, ElementsAre(Pair(42, 11), Pair(41, 22)));
}

TEST_F(CollectorTest, NamesInRecordsOutliveALookAtALiveProfile) {
  apply({.body = abi::CgroupRecord{.id = 7, .path = "/user.slice"}}, 3);
  static_cast<void>(collector().take());
  apply({.body = abi::CgroupRecord{.id = 8, .path = "/system.slice"}}, 4);
  EXPECT_THAT(collector().recorded_names().cgroups, ElementsAre(Pair(7, "/user.slice"), Pair(8, "/system.slice")));
}

// Counts the samples it receives.
struct ShownSamples : ReplaySink {
  void sample(const ReplaySample&, Resolver&, unsigned) override { ++shown; }
  int shown = 0;
};

TEST_F(CollectorTest, OthersSeeTheSamplesThatWereCounted) {
  ShownSamples sink;
  request.also = {&sink};
  request.filter.symbols = {"inner"};
  add({.ip = kInner});
  add({.ip = kOuter});
  EXPECT_EQ(sink.shown, 1);
}

TEST_F(CollectorTest, ParallelismIsAFilterAndAKey) {
  request.filter.parallelisms = {2};
  add({.period = 1});  // only thread 41
  apply({.body = abi::SwitchRecord{.out = false}, .id = {.tid = 99}}, 3);
  add({.period = 10});
  const Hists hists = collector().finish();
  EXPECT_EQ(hists.totals(0).period, 10u);
}

}  // namespace
}  // namespace peregrine
