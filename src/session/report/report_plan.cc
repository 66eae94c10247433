#include "session/report/report_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <string_view>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/graph_options.h"
#include "base/number/duration.h"
#include "base/number/number_list.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/recorded_formats.h"
#include "session/event_names.h"
#include "session/recording/sample_choice.h"
#include "session/report/event_tables.h"

namespace peregrine {

namespace {

void hide_single_values(const SampleSelection& selection, Plan& plan) {
  const auto consider = [&](SortKey key, std::string_view name, const std::string& list) {
    if (list.empty() || split_words(list).size() != 1) return;
    if (std::ranges::find(plan.columns.keys, key) == plan.columns.keys.end()) return;
    plan.single.emplace_back(name, split_words(list)[0]);
    plan.hidden.push_back(key);
  };
  consider(SortKey::Dso, "dso", selection.dsos);
  consider(SortKey::Comm, "comm", selection.comms);
  consider(SortKey::Symbol, "symbol", selection.symbols);
  if (plan.hidden.size() == plan.columns.keys.size()) plan.hidden.clear();
}

Result<u64> parse_quantum(const std::string& text) {
  if (text.empty()) return 100'000'000;
  const auto quantum = nanoseconds_of(text);
  if (!quantum || *quantum == 0)
    return fail(ErrorKind::Usage, "invalid --time-quantum '{}': must be a number with ns, us, ms or s", text);
  return *quantum;
}

// What the recording has and the user asks for: chains, branches, callers' rows, graphs.
void choose_parts(const ReportRequest& asked, const data::Reader& reader, SampleSource source, Plan& plan) {
  // As in linux-perf, any hardware trace has callers unless --itrace says otherwise.
  plan.chains = records_chains(reader.evlist()) || source.with_callers;
  const bool has_stacks = reader.header().has(data::FeatureId::BranchStack);
  plan.branches =
      !asked.chains.branch_history && asked.grouping.branches.value_or(!asked.grouping.memory && has_stacks);
  plan.histories = (asked.chains.branch_history || asked.chains.graph.branches) && has_stacks && !plan.branches;
  plan.blocks = plan.branches && asked.grouping.total_cycles;
  // The contents of a pipe are unknown before its first records, so there are no callers' rows, as in linux-perf.
  plan.children = plan.chains && asked.grouping.children &&
                  (source.live || source.decoded || reader.header().layout != data::Layout::Pipe) && !plan.branches &&
                  !asked.grouping.memory && !asked.grouping.hierarchy;
  plan.graph = asked.chains.graph;
  if (asked.grouping.children && !plan.graph.order_given) plan.graph.order = ChainOrder::Caller;
  if (asked.chains.inverted) plan.graph.order = ChainOrder::Caller;
  plan.chains = plan.chains || plan.histories;
  if (asked.chains.branch_history) plan.graph.key = GraphKey::Address;
  plan.graphs = plan.chains && !plan.branches && plan.graph.mode != GraphMode::None;
}

// The value of -s if the user gives none. Empty: that of parse_columns().
std::string_view default_sort(const ReportRequest& asked, const data::Evlist& evlist, const Plan& plan) {
  if (asked.grouping.memory)
    return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat";
  if (plan.branches) return "comm,dso_from,symbol_from,symbol_to,cycles";
  if (asked.chains.branch_history) return "srcline,symbol,dso";
  const bool traced = !evlist.empty() && std::ranges::all_of(evlist, [](const data::Event& event) {
    return event.attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  });
  return traced ? "trace" : std::string_view();
}

Result<> choose_columns(const ReportRequest& asked, const data::Evlist& evlist, DynamicKeys* dynamic, Plan& plan) {
  ColumnRequest request{.sort = asked.grouping.sort,
                        .fields = asked.grouping.fields,
                        .branches = plan.branches,
                        .children = plan.children,
                        .latency = asked.grouping.latency,
                        .show_samples = asked.grouping.show_samples,
                        .show_period = asked.grouping.show_period,
                        .show_cpu_utilization = asked.grouping.show_cpu_utilization,
                        .dynamic = dynamic};
  if (const std::string_view sort = default_sort(asked, evlist, plan); !sort.empty()) request.default_sort = sort;
  if (plan.blocks) {
    request.fields.reset();
    request.sort = "addr_from,addr_to";
  }
  plan.sort_order = asked.grouping.sort.value_or(request.default_sort);
  auto columns = parse_columns(request);
  if (!columns) return std::unexpected(std::move(columns.error()));
  plan.columns = std::move(*columns);
  if (asked.selection.parent && std::ranges::find(plan.columns.keys, SortKey::Parent) == plan.columns.keys.end()) {
    plan.columns.keys.push_back(SortKey::Parent);
    plan.columns.shown.push_back(column_of(SortKey::Parent));
    plan.columns.order.push_back(column_of(SortKey::Parent));
  }
  return {};
}

// Rows by the number of running threads need the context switches. Errors: Usage if they were not recorded.
Result<> choose_parallelism(const ReportRequest& asked, const data::Evlist& evlist, bool by_latency, Plan& plan) {
  plan.by_parallelism =
      !asked.selection.parallelisms.empty() || by_latency || needs_of(plan.columns.keys).has(KeyNeed::Parallelism);
  const auto switches = [](const data::Event& event) { return event.attr.has(abi::attr_flag::ContextSwitch); };
  if (!plan.by_parallelism || std::ranges::any_of(evlist, switches)) return {};
  return std::unexpected(
      Error{ErrorKind::Usage, "parallelism and latency need context switches, but this recording has none"}.with_hint(
          "record with: perf record --switch-events"));
}

}  // namespace

Result<Plan> make_plan(const ReportRequest& asked, const data::Reader& reader, SampleSource source,
                       DynamicKeys* dynamic) {
  Plan plan;
  const data::Evlist& evlist = reader.evlist();
  plan.names = event_names(reader);
  choose_parts(asked, reader, source, plan);
  PEREGRINE_TRY(choose_columns(asked, evlist, dynamic, plan));
  const auto orders_by = [&](Metric metric) {
    return std::ranges::find(plan.columns.order, column_of(metric)) != plan.columns.order.end();
  };
  constexpr std::array kByMode = {Metric::OverheadSys, Metric::OverheadUser, Metric::OverheadGuestSys,
                                  Metric::OverheadGuestUser};
  plan.by_cpumode = std::ranges::any_of(kByMode, orders_by);
  PEREGRINE_TRY(choose_parallelism(asked, evlist, orders_by(Metric::Latency), plan));
  if (asked.grouping.sort_member != 0 && !has_groups(evlist))
    return fail(ErrorKind::Usage, "--group-sort-idx: this recording has no event group");
  plan.tables = event_tables(evlist, asked.grouping.group, asked.grouping.group_given);
  hide_single_values(asked.selection, plan);
  return plan;
}

std::optional<std::string_view> missing_data(const ReportRequest& asked, const Plan& plan, const data::Reader& reader) {
  if (plan.branches && asked.grouping.memory) return "Error:\n--branch-stack and --mem-mode are incompatible";
  // linux-perf shows what a pipe contains: with -g, samples without chains give a flat profile.
  if (reader.header().layout == data::Layout::Pipe) return std::nullopt;
  const data::Evlist& evlist = reader.evlist();
  const auto has_branches = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::BranchStack); };
  const auto has_accesses = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::DataSrc); };
  if (asked.grouping.memory && !evlist.empty() && std::ranges::none_of(evlist, has_accesses))
    return "Error:\nSelected --mem-mode but no mem data. Did you call perf record without -d?";
  if (plan.branches && !evlist.empty() && std::ranges::none_of(evlist, has_branches))
    return "Error:\nSelected -b but no branch data. Did you call perf record without -b?";
  if (plan.chains) return std::nullopt;
  if (asked.chains.graph_given && plan.graph.mode != GraphMode::None)
    return "Error:\nSelected -g or --branch-history.\nBut no callchain or branch data.\n"
           "Did you call 'perf record' without -g or -b?";
  if (std::ranges::find(plan.columns.keys, SortKey::Parent) != plan.columns.keys.end())
    return "Error:\nSelected --sort parent, but no callchain data. Did you call 'perf record' without -g?";
  return std::nullopt;
}

std::vector<unsigned> parse_widths(const std::string& text) {
  std::vector<unsigned> widths;
  for (const std::string& word : split_words(text))
    widths.push_back(std::min(leading_number<unsigned>(word).value_or(0), 1000u));
  return widths;
}

RowRequest row_request(const ReportRequest& asked, const Plan& plan, const std::vector<u32>& events) {
  return {.events = events,
          .columns = plan.columns,
          .children = plan.children,
          .with_chains = plan.graphs,
          .chain_order = plan.graph.order,
          .sort_member = asked.grouping.sort_member,
          .relative = asked.grouping.relative,
          .collected = collected_keys(plan.columns, plan.by_parallelism),
          .by_cpumode = plan.by_cpumode};
}

Result<HistFilter> hist_filter(const SampleSelection& selection) {
  HistFilter filter;
  add_words(filter.comms, selection.comms);
  add_words(filter.dsos, selection.dsos);
  add_words(filter.symbols, selection.symbols);
  const auto pids = parse_number_list(selection.pids), tids = parse_number_list(selection.tids);
  if (!pids || !tids) return fail(ErrorKind::Usage, "problems parsing {} list", pids ? "tid" : "pid");
  filter.pids.insert(pids->begin(), pids->end());
  filter.tids.insert(tids->begin(), tids->end());
  return filter;
}

Result<CollectRequest> collect_request(const ReportRequest& asked, const Plan& plan, const data::Reader& reader) {
  CollectRequest request;
  request.keys = collected_keys(plan.columns, plan.by_parallelism);
  request.tail = plan.by_cpumode ? GroupTail::Cpumode : GroupTail::None;
  if (!asked.selection.parallelisms.empty()) {
    const auto numbers = parse_number_list(asked.selection.parallelisms);
    if (!numbers)
      return fail(ErrorKind::Usage, "invalid --parallelism '{}': must be a list of numbers, such as 1,2-4",
                  asked.selection.parallelisms);
    request.filter.parallelisms.insert(numbers->begin(), numbers->end());
  }
  request.chains = plan.chains && (plan.children || plan.graphs || asked.whole_stacks);
  request.by_weight = asked.grouping.memory;
  request.branches = plan.branches && !asked.samples_only;
  request.histories = plan.histories && request.chains;
  request.history_order = plan.graph.order;
  request.by_address = plan.graph.key == GraphKey::Address;
  const KeyNeeds needs = needs_of(request.keys);
  request.inlined = asked.chains.inlined;
  request.leaf_lines = needs.has(KeyNeed::Lines);
  request.blocks = plan.blocks && request.branches;
  request.branch_lines = request.blocks || needs.has(KeyNeed::PlaceLines);
  request.branch_addresses = needs.has(KeyNeed::PlaceAddresses);
  request.chain_offsets = plan.graphs && plan.graph.key != GraphKey::Function;
  request.chain_lines = request.chain_offsets || (request.leaf_lines && plan.children);
  request.outermost_first = plan.graph.order == ChainOrder::Caller;
  if (asked.chains.max_stack) request.max_stack = *asked.chains.max_stack;
  auto quantum = parse_quantum(asked.grouping.time_quantum);
  if (!quantum) return std::unexpected(std::move(quantum.error()));
  request.time_quantum = *quantum;
  if (const auto& topology = reader.header().features.cpu_topology)
    for (const auto& place : topology->cpus) request.socket_of_cpu.push_back(place.socket);
  auto filter = hist_filter(asked.selection);
  if (!filter) return std::unexpected(std::move(filter.error()));
  filter->parallelisms = std::move(request.filter.parallelisms);
  request.filter = std::move(*filter);
  if (asked.selection.socket >= 0) request.filter.socket = asked.selection.socket;
  request.filter.hide_unresolved = asked.selection.hide_unresolved;
  request.filter.hide_idle = asked.selection.hide_idle;
  request.filter.exclude_other = asked.selection.exclude_other;
  request.parent = asked.selection.parent;
  const bool by_parent = std::ranges::find(plan.columns.keys, SortKey::Parent) != plan.columns.keys.end();
  if (!request.parent && (by_parent || request.filter.exclude_other)) request.parent = "^sys_|^do_page_fault";
  request.ignore_callees = asked.chains.ignore_callees;
  return request;
}

void add_zoom_keys(CollectRequest& request) {
  const bool sockets = std::ranges::any_of(request.socket_of_cpu, [](i32 socket) { return socket >= 0; });
  for (const SortKey key : {SortKey::Comm, SortKey::Pid, SortKey::Socket}) {
    if (key == SortKey::Socket && !sockets) continue;
    if (std::ranges::find(request.keys, key) == request.keys.end()) request.keys.push_back(key);
  }
}

std::unique_ptr<TraceFields> recorded_fields(const data::Reader& reader, bool raw) {
  if (!has_formats(reader)) return nullptr;
  auto formats = recorded_formats(reader);
  if (!formats) return nullptr;
  return std::make_unique<TraceFields>(reader.evlist(), event_names(reader), std::move(*formats), raw);
}

ReplayOptions replay_options(const ReportRequest& asked, const Plan& plan, const std::vector<SortKey>& keys,
                             const EventSwitch& event_switch, SampleFilter filter) {
  ReplayOptions options;
  options.filter = std::move(filter);
  if (asked.thread_counts) options.shown.set(static_cast<std::size_t>(abi::RecordType::Read));
  const KeyNeeds needs = needs_of(keys);
  if (needs.has(KeyNeed::Cgroups)) options.shown.set(static_cast<std::size_t>(abi::RecordType::Cgroup));
  if (needs.has(KeyNeed::Namespaces)) options.shown.set(static_cast<std::size_t>(abi::RecordType::Namespaces));
  options.unwind = plan.chains;
  options.stitch_branches = asked.chains.stitch_branches;
  options.accessing = asked.accessing;
  if (asked.chains.max_stack) options.max_stack = *asked.chains.max_stack;
  if (event_switch.any() || plan.by_parallelism) options.workers = 1;
  if (plan.by_parallelism)
    for (const abi::RecordType type : {abi::RecordType::Switch, abi::RecordType::SwitchCpuWide, abi::RecordType::Exit})
      options.shown.set(static_cast<std::size_t>(type));
  return options;
}

Result<std::optional<SampleFilter>> choose_sample_filter(const SampleSelection& selection, const data::Reader& reader,
                                                         SessionListener& listener) {
  SampleFilter filter;
  filter.guests = selection.guests;
  filter.hosts = selection.hosts;
  const auto chosen = choose_cpus(selection.cpus, reader.evlist(), filter, listener);
  if (!chosen) return std::unexpected(chosen.error());
  if (!*chosen) return std::nullopt;
  if (!selection.times.empty()) {
    auto times = choose_times(selection.times, reader);
    if (!times) return std::unexpected(std::move(times.error()));
    filter.times = std::move(*times);
  }
  return filter;
}

}  // namespace peregrine
