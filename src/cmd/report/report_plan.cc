#include "cmd/report/report_plan.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/number/number_list.h"
#include "cli/frame/duration.h"
#include "cmd/recording/guest_settings.h"
#include "pipeline/replay/recorded_formats.h"
#include "session/event_names.h"

namespace peregrine::cmd {

namespace {

void hide_single_values(const ReportOptions& options, Plan& plan) {
  const auto consider = [&](SortKey key, std::string_view name, const std::string& list) {
    if (list.empty() || split_words(list).size() != 1) return;
    if (std::ranges::find(plan.columns.keys, key) == plan.columns.keys.end()) return;
    plan.single.emplace_back(name, split_words(list)[0]);
    plan.hidden.push_back(key);
  };
  consider(SortKey::Dso, "dso", options.dsos);
  consider(SortKey::Comm, "comm", options.comms);
  consider(SortKey::Symbol, "symbol", options.symbol_names);
  if (plan.hidden.size() == plan.columns.keys.size()) plan.hidden.clear();
}

Result<u64> parse_quantum(const std::string& text) {
  if (text.empty()) return 100'000'000;
  const auto quantum = nanoseconds_of(text);
  if (!quantum || *quantum == 0)
    return fail(ErrorKind::Usage, "--time-quantum wants a number and ns, us, ms or s, not `{}'", text);
  return *quantum;
}

}  // namespace

Result<Plan> make_plan(const ReportOptions& options, const data::Reader& reader, DynamicKeys* dynamic) {
  Plan plan;
  const data::Evlist& evlist = reader.evlist();
  plan.names = event_names(reader);
  plan.chains = std::ranges::any_of(
      evlist, [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Callchain); });
  // Traces have callers unless --itrace says otherwise, as in linux-perf, whatever they are of.
  plan.chains = plan.chains || (options.decoded && !options.traces.asked);
  const bool has_stacks = reader.header().has(data::FeatureId::BranchStack);
  plan.branches = !options.branch_history && options.branches.value_or(!options.memory && has_stacks);
  plan.histories = (options.branch_history || options.graph.branches) && has_stacks && !plan.branches;
  plan.blocks = plan.branches && options.total_cycles;
  // What a pipe records is not known before its first records: no callers' rows there, as in linux-perf.
  plan.children = plan.chains && options.children &&
                  (options.live || options.decoded || reader.header().layout != data::Layout::Pipe) && !plan.branches &&
                  !options.memory && !options.hierarchy;
  plan.graph = options.graph;
  if (options.children && !plan.graph.order_given) plan.graph.order = ChainOrder::Caller;
  if (options.inverted) plan.graph.order = ChainOrder::Caller;
  plan.chains = plan.chains || plan.histories;
  if (options.branch_history) plan.graph.key = GraphKey::Address;
  plan.graphs = plan.chains && !plan.branches && plan.graph.mode != GraphMode::None;

  ColumnRequest request{.sort = options.sort,
                        .fields = options.fields,
                        .branches = plan.branches,
                        .children = plan.children,
                        .latency = options.latency,
                        .show_samples = options.show_samples,
                        .show_period = options.show_period,
                        .show_cpu_utilization = options.show_cpu_utilization,
                        .dynamic = dynamic};
  if (options.branch_history) request.default_sort = "srcline,symbol,dso";
  if (plan.branches) request.default_sort = "comm,dso_from,symbol_from,symbol_to,cycles";
  if (options.memory)
    request.default_sort = "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat";
  const bool traced = !evlist.empty() && std::ranges::all_of(evlist, [](const data::Event& event) {
    return event.attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  });
  if (traced && !plan.branches && !options.memory && !options.branch_history) request.default_sort = "trace";
  if (plan.blocks) {
    request.fields.reset();
    request.sort = "addr_from,addr_to";
  }
  plan.sort_order = options.sort.value_or(request.default_sort);
  auto columns = parse_columns(request);
  if (!columns) return std::unexpected(std::move(columns.error()));
  plan.columns = std::move(*columns);
  if (options.parent && std::ranges::find(plan.columns.keys, SortKey::Parent) == plan.columns.keys.end()) {
    plan.columns.keys.push_back(SortKey::Parent);
    plan.columns.shown.push_back(column_of(SortKey::Parent));
    plan.columns.order.push_back(column_of(SortKey::Parent));
  }
  for (const Metric metric :
       {Metric::OverheadSys, Metric::OverheadUser, Metric::OverheadGuestSys, Metric::OverheadGuestUser})
    if (std::ranges::find(plan.columns.order, column_of(metric)) != plan.columns.order.end()) plan.by_cpumode = true;
  const auto orders_by = [&](Column column) {
    return std::ranges::find(plan.columns.order, column) != plan.columns.order.end();
  };
  plan.by_parallelism = !options.parallelisms.empty() || orders_by(column_of(Metric::Latency)) ||
                        orders_by(column_of(SortKey::Parallelism));
  const auto switches = [](const data::Event& event) { return event.attr.has(abi::attr_flag::ContextSwitch); };
  if (plan.by_parallelism && std::ranges::none_of(evlist, switches)) {
    auto error = fail(ErrorKind::Usage, "parallelism and latency need context switches, and this recording has none");
    error.error().hint = "perf record --switch-events";
    return error;
  }
  if (options.group_sort_member != 0 && !has_groups(evlist))
    return fail(ErrorKind::Usage, "--group-sort-idx: there is no group of events in this recording");
  plan.tables = event_tables(evlist, options.group, options.group_given);
  hide_single_values(options, plan);
  return plan;
}

std::vector<unsigned> parse_widths(const std::string& text) {
  std::vector<unsigned> widths;
  for (const std::string& word : split_words(text)) {
    unsigned width = 0;
    std::from_chars(word.data(), word.data() + word.size(), width);
    widths.push_back(std::min(width, 1000u));
  }
  return widths;
}

RowRequest row_request(const ReportOptions& options, const Plan& plan, const std::vector<u32>& events) {
  return {.events = events,
          .columns = plan.columns,
          .children = plan.children,
          .with_chains = plan.graphs,
          .chain_order = plan.graph.order,
          .sort_member = options.group_sort_member,
          .relative = options.relative,
          .collected = collected_keys(plan.columns, plan.by_parallelism),
          .by_cpumode = plan.by_cpumode};
}

Result<CollectRequest> make_request(const ReportOptions& options, const Plan& plan, const data::Reader& reader) {
  CollectRequest request;
  request.keys = collected_keys(plan.columns, plan.by_parallelism);
  request.by_cpumode = plan.by_cpumode;
  if (!options.parallelisms.empty()) {
    const auto numbers = parse_number_list(options.parallelisms);
    if (!numbers) return fail(ErrorKind::Usage, "--parallelism wants numbers: 1,2-4, not `{}'", options.parallelisms);
    request.filter.parallelisms.insert(numbers->begin(), numbers->end());
  }
  request.chains = plan.chains && (plan.children || plan.graphs || options.format.is_profile());
  request.by_weight = options.memory;
  request.branches = plan.branches && !options.stats && !options.symbols_report;
  request.histories = plan.histories && request.chains;
  request.history_order = plan.graph.order;
  request.by_address = plan.graph.key == GraphKey::Address;
  const auto sorts_by = [&](SortKey key) { return std::ranges::find(request.keys, key) != request.keys.end(); };
  request.inlined = options.inlined;
  request.leaf_lines = sorts_by(SortKey::SourceLine) || sorts_by(SortKey::SourceFile);
  request.blocks = plan.blocks && request.branches;
  request.branch_lines = request.blocks || sorts_by(SortKey::LineFrom) || sorts_by(SortKey::LineTo);
  request.branch_addresses =
      sorts_by(SortKey::SymbolOffset) || sorts_by(SortKey::AddressFrom) || sorts_by(SortKey::AddressTo);
  request.chain_offsets = plan.graphs && plan.graph.key != GraphKey::Function;
  request.chain_lines = request.chain_offsets || (request.leaf_lines && plan.children);
  request.outermost_first = plan.graph.order == ChainOrder::Caller;
  if (options.max_stack) request.max_stack = *options.max_stack;
  auto quantum = parse_quantum(options.time_quantum);
  if (!quantum) return std::unexpected(std::move(quantum.error()));
  request.time_quantum = *quantum;
  if (const auto& topology = reader.header().features.cpu_topology)
    for (const auto& place : topology->cpus) request.socket_of_cpu.push_back(place.socket);
  add_words(request.filter.comms, options.comms);
  add_words(request.filter.dsos, options.dsos);
  add_words(request.filter.symbols, options.symbol_names);
  const auto pids = parse_number_list(options.pids), tids = parse_number_list(options.tids);
  if (!pids || !tids) return fail(ErrorKind::Usage, "problems parsing {} list", pids ? "tid" : "pid");
  request.filter.pids.insert(pids->begin(), pids->end());
  request.filter.tids.insert(tids->begin(), tids->end());
  if (options.socket >= 0) request.filter.socket = options.socket;
  request.filter.hide_unresolved = options.hide_unresolved;
  request.filter.hide_idle = options.hide_idle;
  request.filter.exclude_other = options.exclude_other;
  request.parent = options.parent;
  if (!request.parent && std::ranges::find(plan.columns.keys, SortKey::Parent) != plan.columns.keys.end())
    request.parent = "^sys_|^do_page_fault";
  request.ignore_callees = options.ignore_callees;
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

ReplayOptions make_replay_options(const ReportOptions& options, const Plan& plan, const std::vector<SortKey>& keys,
                                  const EventSwitch& event_switch, SampleFilter filter) {
  ReplayOptions replay_options;
  replay_options.filter = std::move(filter);
  if (options.threads) replay_options.shown.set(static_cast<std::size_t>(abi::RecordType::Read));
  if (std::ranges::find(keys, SortKey::Cgroup) != keys.end())
    replay_options.shown.set(static_cast<std::size_t>(abi::RecordType::Cgroup));
  if (std::ranges::find(keys, SortKey::CgroupId) != keys.end())
    replay_options.shown.set(static_cast<std::size_t>(abi::RecordType::Namespaces));
  replay_options.unwind = plan.chains;
  replay_options.stitch_branches = options.stitch_lbr;
  replay_options.accessing = options.accessing;
  if (options.max_stack) replay_options.max_stack = *options.max_stack;
  replay_options.every_record = options.dump;
  if (options.dump || event_switch.any() || plan.by_parallelism) replay_options.workers = 1;
  if (plan.by_parallelism)
    for (const abi::RecordType type : {abi::RecordType::Switch, abi::RecordType::SwitchCpuWide, abi::RecordType::Exit})
      replay_options.shown.set(static_cast<std::size_t>(type));
  return replay_options;
}

Result<std::optional<SampleFilter>> make_filter(const ReportOptions& options, const data::Reader& reader,
                                                Invocation& call) {
  SampleFilter filter;
  choose_sides(filter, call.config);
  const auto chosen = choose_cpus(options.cpus, reader.evlist(), filter, call);
  if (!chosen) return std::unexpected(chosen.error());
  if (!*chosen) return std::nullopt;
  if (!options.times.empty()) {
    auto times = choose_times(options.times, reader);
    if (!times) return std::unexpected(std::move(times.error()));
    filter.times = std::move(*times);
  }
  return filter;
}

}  // namespace peregrine::cmd
