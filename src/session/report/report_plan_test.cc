// Plans depend on the recording as well as on the request: each test has a recording of a few events, and a request.
#include "session/report/report_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <expected>
#include <stdexcept>

#include "abi/record_rows.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::Fields;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// A recording with only these events; `branches`: with the branch stack feature.
struct PlannedRecording {
  std::vector<Fields> events = {{{"sample", "ip,tid,time,period"}}};
  bool branches = false;
  support::Layout layout = support::Layout::File;

  data::Reader open() const {
    support::PerfDataBuilder data(layout);
    for (const Fields& event : events) data.attr(event);
    if (branches) data.feature("branch_stack", {{"hex", ""}});
    return support::open_built(data);
  }
  Plan plan(const ReportRequest& request, SampleSource source = {}) const {
    const data::Reader reader = open();
    auto plan = make_plan(request, reader, source);
    if (!plan) throw std::runtime_error(plan.error().message);
    return std::move(*plan);
  }
  std::string refusal(const ReportRequest& request) const {
    const data::Reader reader = open();
    const auto plan = make_plan(request, reader, {});
    return plan ? "accepted" : plan.error().message;
  }
};

const PlannedRecording kFlat{};
const PlannedRecording kWithChains{.events = {{{"sample", "ip,tid,time,period,callchain"}}}};
const PlannedRecording kWithBranches{.events = {{{"sample", "ip,tid,time,period,branch_stack"}}}, .branches = true};

std::string missing_text(const PlannedRecording& recording, const ReportRequest& request) {
  const data::Reader reader = recording.open();
  const auto plan = make_plan(request, reader, {});
  if (!plan) return plan.error().message;
  return std::string(missing_data(request, *plan, reader).value_or("nothing"));
}

TEST(ColumnWidths, AreNumbersBetweenCommas) {
  EXPECT_THAT(parse_widths(""), IsEmpty());
  EXPECT_THAT(parse_widths("5,10"), ElementsAre(5, 10));
  EXPECT_THAT(parse_widths("7x,wide"), ElementsAre(7, 0)) << "as wide as needed where no number begins";
  EXPECT_THAT(parse_widths("1000,1001,99999999999"), ElementsAre(1000, 1000, 0)) << "no column is wider";
}

TEST(PlanOfChains, CountsCalleesOnlyWithChains) {
  EXPECT_FALSE(kFlat.plan({}).children);
  EXPECT_FALSE(kFlat.plan({}).graphs);
  const Plan plan = kWithChains.plan({});
  EXPECT_TRUE(plan.children && plan.chains && plan.graphs);
  EXPECT_EQ(plan.graph.order, ChainOrder::Caller) << "rows with callees show who called";

  ReportRequest request;
  request.grouping.children = false;
  EXPECT_FALSE(kWithChains.plan(request).children);
  EXPECT_EQ(kWithChains.plan(request).graph.order, ChainOrder::Callee);
  request.chains.inverted = true;
  EXPECT_EQ(kWithChains.plan(request).graph.order, ChainOrder::Caller);
}

TEST(PlanOfChains, KeepsTheOrderThatWasGiven) {
  ReportRequest request;
  request.chains.graph.order = ChainOrder::Callee;
  request.chains.graph.order_given = true;
  EXPECT_EQ(kWithChains.plan(request).graph.order, ChainOrder::Callee);
}

TEST(PlanOfChains, ShowsNoGraphsOnRequest) {
  ReportRequest request;
  request.chains.graph.mode = GraphMode::None;
  const Plan plan = kWithChains.plan(request);
  EXPECT_TRUE(plan.children);
  EXPECT_FALSE(plan.graphs);
}

TEST(PlanOfChains, HasNoRowsOfCallersForATree) {
  ReportRequest request;
  request.grouping.hierarchy = true;
  EXPECT_FALSE(kWithChains.plan(request).children);
}

// A pipe is read as it arrives: its first record may be a sample without a chain.
TEST(PlanOfChains, HasNoRowsOfCallersForAPipeUnlessItsSamplesAreKnown) {
  PlannedRecording pipe = kWithChains;
  pipe.layout = support::Layout::Pipe;
  const data::Reader reader = pipe.open();
  EXPECT_FALSE(make_plan({}, reader, {})->children);
  EXPECT_TRUE(make_plan({}, reader, {.live = true, .with_callers = true})->children);
  EXPECT_TRUE(make_plan({}, reader, {.decoded = true, .with_callers = true})->children);
}

TEST(PlanOfBranches, CountsBranchesWhereTheyWereRecorded) {
  const Plan plan = kWithBranches.plan({});
  EXPECT_TRUE(plan.branches);
  EXPECT_FALSE(plan.children || plan.graphs || plan.histories);
  EXPECT_EQ(plan.sort_order, "comm,dso_from,symbol_from,symbol_to,cycles");
  ReportRequest request;
  request.grouping.branches = false;
  EXPECT_FALSE(kWithBranches.plan(request).branches);
  EXPECT_EQ(kWithBranches.plan(request).sort_order, "comm,dso,symbol");
  request.grouping.branches = std::nullopt;
  request.grouping.memory = true;
  EXPECT_FALSE(kWithBranches.plan(request).branches) << "accesses to memory are samples";
}

TEST(PlanOfBranches, MakesThemAPartOfTheChainsForAHistory) {
  ReportRequest request;
  request.chains.branch_history = true;
  const Plan plan = kWithBranches.plan(request);
  EXPECT_TRUE(plan.histories && plan.chains && plan.graphs);
  EXPECT_FALSE(plan.branches);
  EXPECT_EQ(plan.sort_order, "srcline,symbol,dso");
  EXPECT_EQ(plan.graph.key, GraphKey::Address);
  EXPECT_FALSE(kFlat.plan(request).histories) << "there are no branches";
}

TEST(PlanOfBranches, CountsBlocksBetweenThem) {
  ReportRequest request;
  request.grouping.total_cycles = true;
  request.grouping.sort = "comm";
  const Plan plan = kWithBranches.plan(request);
  EXPECT_TRUE(plan.blocks);
  EXPECT_EQ(plan.columns.keys.size(), 2u) << "a block has two ends, whatever -s says";
  EXPECT_FALSE(kFlat.plan(request).blocks);
}

TEST(PlanOfKeys, HasDefaultsForEachKindOfRecording) {
  EXPECT_EQ(kFlat.plan({}).sort_order, "comm,dso,symbol");
  const PlannedRecording traced{.events = {{{"type", 2}, {"sample", "ip,tid,raw"}}}};
  EXPECT_EQ(traced.plan({}).sort_order, "trace");
  const PlannedRecording mixed{.events = {{{"type", 2}, {"sample", "ip,tid"}}, {{"type", 1}, {"sample", "ip,tid"}}}};
  EXPECT_EQ(mixed.plan({}).sort_order, "comm,dso,symbol") << "not all are tracepoints";
  ReportRequest request;
  request.grouping.memory = true;
  EXPECT_EQ(traced.plan(request).sort_order.substr(0, 16), "local_weight,mem");
  request.grouping.sort = "dso";
  EXPECT_EQ(traced.plan(request).sort_order, "dso");
}

TEST(PlanOfKeys, AddsTheParentThatSamplesAreChosenBy) {
  ReportRequest request;
  request.grouping.sort = "comm";
  request.selection.parent = "^main$";
  const Plan added = kWithChains.plan(request);
  EXPECT_THAT(added.columns.keys, ElementsAre(SortKey::Comm, SortKey::Parent));
  EXPECT_EQ(added.columns.shown.back(), column_of(SortKey::Parent));
  request.grouping.sort = "parent,comm";
  EXPECT_THAT(kWithChains.plan(request).columns.keys, ElementsAre(SortKey::Parent, SortKey::Comm));
}

TEST(PlanOfKeys, HidesKeysThatAFilterLeavesOneValueOf) {
  ReportRequest request;
  request.grouping.sort = "comm,dso,symbol";
  request.selection.comms = "load";
  request.selection.dsos = "libc.so.6,ld.so";
  const Plan plan = kFlat.plan(request);
  EXPECT_THAT(plan.hidden, ElementsAre(SortKey::Comm)) << "two dsos are two values";
  EXPECT_THAT(plan.single, ElementsAre(std::pair<std::string, std::string>("comm", "load")));
  request.grouping.sort = "dso";
  EXPECT_THAT(kFlat.plan(request).single, IsEmpty()) << "comms are not shown";
  request.grouping.sort = "comm";
  EXPECT_THAT(kFlat.plan(request).hidden, IsEmpty()) << "a table keeps at least one key";
}

TEST(PlanOfKeys, SumsBySystemAndUserWhenColumnsShowThem) {
  EXPECT_FALSE(kFlat.plan({}).by_cpumode);
  ReportRequest request;
  request.grouping.show_cpu_utilization = true;
  EXPECT_TRUE(kFlat.plan(request).by_cpumode);
}

TEST(PlanOfKeys, NeedsContextSwitchesForParallelism) {
  const PlannedRecording switches{.events = {{{"sample", "ip,tid,time,period"}, {"flags", "context_switch"}}}};
  ReportRequest by_key, by_selection, by_latency;
  by_key.grouping.sort = "parallelism";
  by_selection.selection.parallelisms = "1,2-4";
  by_latency.grouping.latency = true;
  for (const ReportRequest& request : {by_key, by_selection, by_latency}) {
    EXPECT_TRUE(switches.plan(request).by_parallelism);
    EXPECT_EQ(kFlat.refusal(request), "parallelism and latency need context switches, but this recording has none");
  }
  EXPECT_FALSE(switches.plan({}).by_parallelism);
}

TEST(PlanOfGroups, SortsByAMemberOnlyOfGroups) {
  ReportRequest request;
  request.grouping.sort_member = 1;
  EXPECT_EQ(kFlat.refusal(request), "--group-sort-idx: this recording has no event group");
}

TEST(MissingData, IsWhatWasNotRecorded) {
  ReportRequest graph, branches, memory, both, parent;
  graph.chains.graph_given = true;
  branches.grouping.branches = true;
  memory.grouping.memory = true;
  both.grouping.branches = true;
  both.grouping.memory = true;
  parent.grouping.sort = "parent";
  EXPECT_EQ(missing_text(kFlat, {}), "nothing");
  EXPECT_EQ(missing_text(kFlat, graph),
            "Error:\nSelected -g or --branch-history.\nBut no callchain or branch data.\n"
            "Did you call 'perf record' without -g or -b?");
  EXPECT_EQ(missing_text(kFlat, branches),
            "Error:\nSelected -b but no branch data. Did you call perf record without -b?");
  EXPECT_EQ(missing_text(kFlat, memory),
            "Error:\nSelected --mem-mode but no mem data. Did you call perf record without -d?");
  EXPECT_EQ(missing_text(kFlat, both), "Error:\n--branch-stack and --mem-mode are incompatible");
  EXPECT_EQ(missing_text(kFlat, parent),
            "Error:\nSelected --sort parent, but no callchain data. Did you call 'perf record' without -g?");
  EXPECT_EQ(missing_text(kWithChains, graph), "nothing");
  EXPECT_EQ(missing_text(kWithChains, parent), "nothing");
  EXPECT_EQ(missing_text(kWithBranches, branches), "nothing");
}

TEST(MissingData, IsUnknownInAPipe) {
  PlannedRecording pipe = kFlat;
  pipe.layout = support::Layout::Pipe;
  ReportRequest request;
  request.chains.graph_given = true;
  EXPECT_EQ(missing_text(pipe, request), "nothing");
}

TEST(ReportFilter, HasTheWordsAndNumbersOfTheSelection) {
  const auto filter =
      hist_filter({.comms = "load,idle", .dsos = "libc.so.6", .symbols = "main", .pids = "7,9-10", .tids = "11"});
  ASSERT_TRUE(filter);
  EXPECT_THAT(filter->comms, UnorderedElementsAre("load", "idle"));
  EXPECT_THAT(filter->dsos, UnorderedElementsAre("libc.so.6"));
  EXPECT_THAT(filter->symbols, UnorderedElementsAre("main"));
  EXPECT_THAT(filter->pids, UnorderedElementsAre(7, 9, 10));
  EXPECT_THAT(filter->tids, UnorderedElementsAre(11));
}

TEST(ReportFilter, RejectsListsThatAreNoNumbers) {
  EXPECT_EQ(hist_filter({.pids = "seven"}).error().message, "problems parsing pid list");
  EXPECT_EQ(hist_filter({.pids = "7", .tids = "7-"}).error().message, "problems parsing tid list");
}

Result<CollectRequest> collected(const PlannedRecording& recording, const ReportRequest& request) {
  const data::Reader reader = recording.open();
  const auto plan = make_plan(request, reader, {});
  if (!plan) return std::unexpected(plan.error());
  return collect_request(request, *plan, reader);
}

TEST(ReportCollection, KeepsChainsOnlyIfSomethingShowsThem) {
  ReportRequest request;
  EXPECT_FALSE(collected(kFlat, request)->chains);
  EXPECT_TRUE(collected(kWithChains, request)->chains);
  request.grouping.children = false;
  request.chains.graph.mode = GraphMode::None;
  EXPECT_FALSE(collected(kWithChains, request)->chains);
  request.whole_stacks = true;
  EXPECT_TRUE(collected(kWithChains, request)->chains);
}

TEST(ReportCollection, HasStepsOfTimeAsGiven) {
  ReportRequest request;
  EXPECT_EQ(collected(kFlat, request)->time_quantum, 100'000'000u);
  request.grouping.time_quantum = "250us";
  EXPECT_EQ(collected(kFlat, request)->time_quantum, 250'000u);
  for (const char* invalid : {"0ms", "soon", "-1s"}) {
    request.grouping.time_quantum = invalid;
    EXPECT_EQ(collected(kFlat, request).error().message,
              fmt::format("invalid --time-quantum '{}': must be a number with ns, us, ms or s", invalid));
  }
}

TEST(ReportCollection, LooksForSystemCallsAsParentsUnlessAPatternIsGiven) {
  ReportRequest request;
  EXPECT_FALSE(collected(kWithChains, request)->parent);
  request.grouping.sort = "parent";
  EXPECT_EQ(collected(kWithChains, request)->parent, "^sys_|^do_page_fault");
  request.selection.parent = "^main$";
  EXPECT_EQ(collected(kWithChains, request)->parent, "^main$");
}

TEST(ReportCollection, CountsSamplesOfBranchRecordingsOnRequest) {
  ReportRequest request;
  EXPECT_TRUE(collected(kWithBranches, request)->branches);
  request.samples_only = true;
  EXPECT_FALSE(collected(kWithBranches, request)->branches);
}

TEST(ReportCollection, TakesThePartsOfTheRequest) {
  ReportRequest request;
  request.chains.max_stack = 9;
  request.chains.ignore_callees = "^lib";
  request.chains.inlined = false;
  request.selection.socket = 1;
  request.selection.hide_unresolved = request.selection.hide_idle = request.selection.exclude_other = true;
  request.grouping.memory = true;
  const auto collection = collected(kWithChains, request);
  ASSERT_TRUE(collection);
  EXPECT_EQ(collection->max_stack, 9u);
  EXPECT_EQ(collection->ignore_callees, "^lib");
  EXPECT_FALSE(collection->inlined);
  EXPECT_EQ(collection->filter.socket, 1);
  EXPECT_TRUE(collection->filter.hide_unresolved && collection->filter.hide_idle && collection->filter.exclude_other);
  EXPECT_TRUE(collection->by_weight);
}

TEST(ReportCollection, ExcludesOtherSamplesByTheDefaultParent) {
  ReportRequest request;
  EXPECT_EQ(collected(kWithChains, request)->parent, std::nullopt);
  request.selection.exclude_other = true;
  EXPECT_EQ(collected(kWithChains, request)->parent, "^sys_|^do_page_fault");
  request.selection.parent = "main";
  EXPECT_EQ(collected(kWithChains, request)->parent, "main");
}

TEST(ReportCollection, RejectsParallelismsThatAreNoNumbers) {
  const PlannedRecording switches{.events = {{{"sample", "ip,tid,time,period"}, {"flags", "context_switch"}}}};
  ReportRequest request;
  request.selection.parallelisms = "1,2-4";
  EXPECT_THAT(collected(switches, request)->filter.parallelisms, UnorderedElementsAre(1, 2, 3, 4));
  request.selection.parallelisms = "many";
  EXPECT_EQ(collected(switches, request).error().message,
            "invalid --parallelism 'many': must be a list of numbers, such as 1,2-4");
}

TEST(ZoomKeys, AreAddedBehindThoseThatAreShown) {
  CollectRequest request;
  request.keys = {SortKey::Symbol, SortKey::Comm};
  add_zoom_keys(request);
  EXPECT_THAT(request.keys, ElementsAre(SortKey::Symbol, SortKey::Comm, SortKey::Pid));
  request.socket_of_cpu = {-1, -1};
  add_zoom_keys(request);
  EXPECT_THAT(request.keys, Not(Contains(SortKey::Socket))) << "the sockets are unknown";
  request.socket_of_cpu = {-1, 0};
  add_zoom_keys(request);
  EXPECT_EQ(request.keys.back(), SortKey::Socket);
}

TEST(ReportReplay, ShowsTheRecordsThatKeysNeed) {
  const auto shown = [](const ReportRequest& request, abi::RecordType type) {
    const PlannedRecording switches{.events = {{{"sample", "ip,tid,time,period"}, {"flags", "context_switch"}}}};
    const Plan plan = switches.plan(request);
    const ReplayOptions options = replay_options(request, plan, plan.columns.keys, {}, {});
    return options.shown.test(static_cast<std::size_t>(type));
  };
  using abi::RecordType;
  ReportRequest counts, cgroups, parallel;
  counts.thread_counts = true;
  cgroups.grouping.sort = "cgroup";
  parallel.grouping.sort = "parallelism";
  EXPECT_TRUE(shown(counts, RecordType::Read));
  EXPECT_FALSE(shown({}, RecordType::Read));
  EXPECT_TRUE(shown(cgroups, RecordType::Cgroup));
  EXPECT_FALSE(shown({}, RecordType::Cgroup));
  for (const RecordType type : {RecordType::Switch, RecordType::SwitchCpuWide, RecordType::Exit}) {
    EXPECT_TRUE(shown(parallel, type));
    EXPECT_FALSE(shown({}, type));
  }
}

TEST(ReportReplay, HasOneWorkerWhereTheOrderOfSamplesMatters) {
  const Plan plan = kFlat.plan({});
  EXPECT_EQ(replay_options({}, plan, plan.columns.keys, {}, {}).workers, 0u) << "as many as there are CPUs";
  EXPECT_EQ(replay_options({}, plan, plan.columns.keys, EventSwitch(0, {}, false), {}).workers, 1u);
  Plan parallel = plan;
  parallel.by_parallelism = true;
  EXPECT_EQ(replay_options({}, parallel, plan.columns.keys, {}, {}).workers, 1u);
}

TEST(ReportReplay, ChoosesTimesAndMachines) {
  support::PerfDataBuilder data;
  data.attr({{"sample", "ip,tid,time,cpu"}})
      .feature("sample_time", {{"first", 10'000'000'000}, {"last", 20'000'000'000}});
  const data::Reader reader = support::open_built(data);
  testing::KeptMessages messages;
  const auto filter = choose_sample_filter({.cpus = "0,2", .times = "50%-100%", .guests = false}, reader, messages);
  ASSERT_TRUE(filter && *filter);
  EXPECT_THAT((*filter)->cpus, ElementsAre(0, 2));
  ASSERT_EQ((*filter)->times.size(), 1u);
  EXPECT_TRUE((*filter)->accepts_time(15'000'000'000));
  EXPECT_FALSE((*filter)->accepts_time(14'999'999'999));
  EXPECT_TRUE((*filter)->hosts);
  EXPECT_FALSE((*filter)->guests);
  EXPECT_EQ(choose_sample_filter({.times = "now"}, reader, messages).error().kind, ErrorKind::Usage);
  EXPECT_EQ(messages.take(), "");
}

}  // namespace
}  // namespace peregrine
