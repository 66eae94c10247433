// report: where the samples of a recording fell, as tables with call graphs, or as a flame graph.
#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "analysis/hist/collector.h"
#include "analysis/hist/flame_tree.h"
#include "analysis/hist/machine_naming.h"
#include "cmd/report_options.h"
#include "output/svg/flame_graph.h"
#include "output/text/header_text.h"
#include "output/text/raw_dump.h"
#include "output/text/report_page.h"
#include "output/text/report_table.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

namespace {

// Everything the options mean for this recording, settled before the first record is read.
struct Plan {
  Columns columns;
  GraphOptions graph;
  bool children = false;
  bool chains = false;  // the recording has callchains
  bool graphs = false;  // and they are shown
  bool by_cpumode = false;
  std::vector<std::vector<u32>> tables;                     // events of each: one, or a group's members
  std::vector<std::pair<std::string, std::string>> single;  // keys that a filter leaves one value
  std::vector<SortKey> hidden;
  std::vector<std::string> names;
};

// A message that other programs match, and linux-perf's exit code for a command that could not start.
int refuse(Invocation& call, std::string_view message, int code = 255) {
  call.messages.verbatim(fmt::format("{}\n", message));
  return code;
}

bool has_groups(const data::Evlist& evlist) {
  return std::ranges::any_of(evlist, [](const data::Event& event) { return event.members > 1; });
}

std::vector<std::vector<u32>> make_tables(const ReportOptions& options, const data::Evlist& evlist) {
  std::vector<std::vector<u32>> tables;
  const bool any_group = has_groups(evlist);
  const bool grouped = options.group && (any_group || options.group_given);
  for (u32 event = 0; event < evlist.size(); ++event) {
    const bool follows = any_group ? evlist[event].leader != event : event > 0;
    if (grouped && follows && !tables.empty())
      tables.back().push_back(event);
    else
      tables.push_back({event});
  }
  return tables;
}

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

Result<Plan> make_plan(const ReportOptions& options, const data::Reader& reader) {
  Plan plan;
  const data::Evlist& evlist = reader.evlist();
  plan.names = event_names(reader);
  plan.chains = std::ranges::any_of(
      evlist, [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Callchain); });
  // What a pipe records is not known before its first records: no callers' rows there, as in linux-perf.
  plan.children = plan.chains && options.children && reader.header().layout != data::Layout::Pipe;
  plan.graph = options.graph;
  if (options.children && !plan.graph.order_given) plan.graph.order = ChainOrder::Caller;
  if (options.inverted) plan.graph.order = ChainOrder::Caller;
  plan.graphs = plan.chains && plan.graph.mode != GraphMode::None;

  ColumnRequest request{.sort = options.sort,
                        .fields = options.fields,
                        .children = plan.children,
                        .show_samples = options.show_samples,
                        .show_period = options.show_period,
                        .show_cpu_utilization = options.show_cpu_utilization};
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
  plan.tables = make_tables(options, evlist);
  hide_single_values(options, plan);
  return plan;
}

template <class Set>
void add_words(Set& set, const std::string& list) {
  for (std::string& word : split_words(list)) set.insert(std::move(word));
}

Result<u64> parse_quantum(const std::string& text) {
  if (text.empty()) return 100'000'000;
  u64 value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  const std::map<std::string_view, u64> kUnits{{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  const auto found = kUnits.find(unit);
  if (parsed.ec != std::errc() || found == kUnits.end() || value == 0 || value > ~u64{0} / found->second)
    return fail(ErrorKind::Usage, "--time-quantum wants a number and ns, us, ms or s, not `{}'", text);
  return value * found->second;
}

Result<CollectRequest> make_request(const ReportOptions& options, const Plan& plan, const data::Reader& reader) {
  CollectRequest request;
  request.keys = plan.columns.keys;
  request.by_cpumode = plan.by_cpumode;
  const bool flame = !options.flame_graph.empty();
  if (flame && std::ranges::find(request.keys, SortKey::Comm) == request.keys.end())
    request.keys.push_back(SortKey::Comm);
  request.chains = plan.chains && (plan.children || plan.graphs || flame);
  request.leaf_chains = flame;
  request.by_address = plan.graph.key == GraphKey::Address;
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
  request.filter.hide_unresolved = options.hide_unresolved;
  request.filter.exclude_other = options.exclude_other;
  request.parent = options.parent;
  if (!request.parent && std::ranges::find(plan.columns.keys, SortKey::Parent) != plan.columns.keys.end())
    request.parent = "^sys_|^do_page_fault";
  request.ignore_callees = options.ignore_callees;
  return request;
}

// What -C and --time say; nothing when a message was printed instead.
Result<std::optional<SampleFilter>> make_filter(const ReportOptions& options, const data::Reader& reader,
                                                Invocation& call) {
  SampleFilter filter;
  if (!options.cpus.empty()) {
    for (const data::Event& event : reader.evlist()) {
      if (event.attr.samples(abi::sample_bit::Cpu)) continue;
      call.messages.verbatim("File does not contain CPU events. Remove -C option to proceed.\n");
      return std::nullopt;
    }
    const auto cpus = parse_number_list(options.cpus);
    if (!cpus) return fail(ErrorKind::Usage, "Invalid cpu_list");
    filter.cpus = *cpus;
  }
  if (!options.times.empty()) {
    const auto span = reader.header().features.sample_times;
    auto times = parse_time_ranges(options.times, span ? span->first : 0, span ? span->last : 0);
    if (!times) return std::unexpected(std::move(times.error()));
    filter.times = std::move(*times);
  }
  return filter;
}

std::string table_name(const Plan& plan, const data::Evlist& evlist, const std::vector<u32>& events) {
  if (events.size() == 1) return plan.names[events[0]];
  std::string name;
  for (const u32 event : events) name += (event == events[0] ? "" : ", ") + plan.names[event];
  if (!has_groups(evlist)) return name;
  const std::string& group = evlist[events[0]].group_name;
  return fmt::format("{} {{ {} }}", group.empty() ? "anon group" : group, name);
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

TableText make_style(const ReportOptions& options, const Plan& plan) {
  TableText style;
  style.widths = parse_widths(options.column_widths);
  style.separator = options.separator == "\\t" ? "\t" : options.separator;
  style.least_percent = options.percent_limit;
  style.titles = !options.quiet;
  style.hidden = plan.hidden;
  style.symbol_filter = options.symbol_filter;
  style.graphs = plan.graphs;
  style.graph = plan.graph;
  style.symbol_leads = !options.fields && options.sort && options.sort->starts_with("sym");
  return style;
}

std::string_view choose_tip(const Plan& plan) {
  if (!plan.chains) return "To see who calls what, record with call chains: perf record -g";
  return "To see everything at once, draw a flame graph: perf report --flamegraph flame.svg";
}

class Page {
 public:
  Page(const ReportOptions& options, const Plan& plan, const data::Reader& reader, const Hists& hists, Naming& naming,
       Sink& out)
      : options_(options),
        plan_(plan),
        reader_(reader),
        hists_(hists),
        naming_(naming),
        out_(out),
        faces_(hists.frames(), naming, uses(SortKey::Dso), uses(SortKey::Symbol)) {}

  void print(u64 lost_samples) {
    print_filters(out_, plan_.single);
    if (!options_.quiet) print_preamble(out_, lost_samples);
    for (const std::vector<u32>& events : plan_.tables) {
      if (options_.skip_empty && hists_.totals(events[0]).samples == 0) continue;
      print_one(events);
    }
    if (!options_.quiet) print_tip(out_, choose_tip(plan_));
  }

 private:
  bool uses(SortKey key) const { return std::ranges::find(plan_.columns.keys, key) != plan_.columns.keys.end(); }
  // linux-perf says "events" of a leader even where its group is shown apart.
  bool leads(u32 event) const {
    const data::Evlist& evlist = reader_.evlist();
    if (has_groups(evlist)) return evlist[event].leader == event && evlist[event].members > 1;
    return options_.group_given && event == 0 && evlist.size() > 1;
  }
  void print_one(const std::vector<u32>& events) {
    if (!options_.quiet) {
      EventHeading heading{.name = table_name(plan_, reader_.evlist(), events), .group = leads(events[0])};
      for (const u32 event : events) {
        const EventTotals totals = hists_.totals(event);
        heading.samples += options_.relative ? totals.shown_samples : totals.samples;
        heading.period += options_.relative ? totals.shown_period : totals.period;
      }
      if (!options_.times.empty()) heading.remark = fmt::format(" (time slices: {})", options_.times);
      print_event_heading(out_, heading);
    }
    const RowTable table(hists_, faces_, naming_,
                         {.events = events,
                          .columns = plan_.columns,
                          .children = plan_.children,
                          .with_chains = plan_.graphs,
                          .chain_order = plan_.graph.order,
                          .relative = options_.relative,
                          .by_cpumode = plan_.by_cpumode});
    print_table(out_, table, make_style(options_, plan_));
    out_.append("\n\n");
  }

  const ReportOptions& options_;
  const Plan& plan_;
  const data::Reader& reader_;
  const Hists& hists_;
  Naming& naming_;
  Sink& out_;
  FaceTable faces_;
};

Result<int> write_flame_graph(const ReportOptions& options, const Plan& plan, const std::vector<SortKey>& keys,
                              const data::Reader& reader, const Hists& hists, Naming& naming, Invocation& call) {
  u32 event = 0;
  while (event + 1 < plan.names.size() && hists.totals(event).samples == 0) ++event;
  const FaceTable faces(hists.frames(), naming, true, true);
  const FlameTree tree =
      make_flame_tree(hists, faces, naming,
                      {.event = event, .comm_column = static_cast<std::size_t>(group_column(keys, SortKey::Comm))});
  FlameText text{.unit = plan.names.empty() ? "" : plan.names[event]};
  text.unit = text.unit.contains("clock") ? "ns" : "events";
  if (const auto& cmdline = reader.header().features.cmdline)
    for (const std::string& word : *cmdline) text.subtitle += (text.subtitle.empty() ? "" : " ") + word;
  text.subtitle += fmt::format("{}{} samples of {}", text.subtitle.empty() ? "" : " — ", hists.totals(event).samples,
                               plan.names.empty() ? "nothing" : plan.names[event]);
  auto file = open_file(options.flame_graph, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (!file) return std::unexpected(std::move(file.error()));
  Sink out(file->get());
  print_flame_graph(out, tree, text);
  PEREGRINE_TRY(out.flush());
  call.messages.note(
      fmt::format("flame graph of {} samples written to {}", hists.totals(event).samples, options.flame_graph));
  return 0;
}

void print_record_stats(const Plan& plan, const data::Header& header, bool skip_empty, const ReplayAccount& account,
                        const Hists& hists, Sink& out) {
  std::vector<EventCounts> events;
  for (u32 event = 0; event < plan.names.size(); ++event) {
    const u64 samples = hists.totals(event).samples;
    const u64 lost = event < account.events.size() ? account.events[event].lost_samples : 0;
    if (samples != 0 || !skip_empty) events.push_back({plan.names[event], samples, lost});
  }
  print_stats(out, account.records, events, header.has(data::FeatureId::Auxtrace));
}

void print_threads(const Plan& plan, const std::vector<ThreadRead>& reads, Sink& out) {
  std::vector<u32> events;
  std::vector<ThreadCounts> threads;
  for (const ThreadRead& read : reads)
    if (std::ranges::find(events, read.event) == events.end()) events.push_back(read.event);
  for (const ThreadRead& read : reads) {
    auto thread =
        std::ranges::find_if(threads, [&](const ThreadCounts& t) { return t.pid == read.pid && t.tid == read.tid; });
    if (thread == threads.end()) {
      threads.push_back({read.pid, read.tid, std::vector<u64>(events.size())});
      thread = threads.end() - 1;
    }
    thread->values[static_cast<std::size_t>(std::ranges::find(events, read.event) - events.begin())] += read.value;
  }
  std::vector<std::string> names;
  for (const u32 event : events) names.push_back(event < plan.names.size() ? plan.names[event] : "unknown");
  print_thread_counts(out, names, threads);
}

// What cannot be shown is no failure of the program: linux-perf says so and ends with 0, and so do we.
std::optional<std::string_view> impossible(const ReportOptions& options, const Plan& plan) {
  if (plan.chains) return std::nullopt;
  if (options.graph_given && plan.graph.mode != GraphMode::None)
    return "Error:\nSelected -g or --branch-history.\nBut no callchain or branch data.\n"
           "Did you call 'perf record' without -g or -b?";
  if (std::ranges::find(plan.columns.keys, SortKey::Parent) != plan.columns.keys.end())
    return "Error:\nSelected --sort parent, but no callchain data. Did you call 'perf record' without -g?";
  return std::nullopt;
}

}  // namespace

Result<int> report(ReportOptions& options, Invocation& call) {
  if (options.quiet) call.messages.set_quiet(true);
  if (options.dump) options.stats = true;
  if (call.words.size() == 1)
    options.symbol_filter = call.words[0];
  else if (call.words.size() > 1)
    return fail(ErrorKind::Usage, "one word only: a part of the symbols to show");
  auto reader = open_recording(options.input, options.symbols.force);
  if (!reader) return say_open_error(call, options.input, reader.error());

  if (options.tasks || options.mmaps) return fail(ErrorKind::Unsupported, "--tasks and --mmaps are not built yet");
  if (options.header || options.header_only) {
    print_header(reader->header(), reader->evlist(), options.info, call.out);
    if (options.header_only) return 0;
  }
  auto plan = make_plan(options, *reader);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const bool tables = !options.stats && options.flame_graph.empty();
  if ((tables || options.dump) && !options.quiet && !options.header) print_header_hint(call.out);
  if (const auto reason = impossible(options, *plan)) return refuse(call, *reason, 0);
  auto request = make_request(options, *plan, *reader);
  if (!request) return std::unexpected(std::move(request.error()));
  const std::vector<SortKey> keys = request->keys;
  auto collector = HistCollector::make(std::move(*request));
  if (!collector) return std::unexpected(std::move(collector.error()));
  auto filter = make_filter(options, *reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return refuse(call, "Error:\nfailed to set cpu bitmap");

  options.symbols.parameters = options.verbose > 0;
  Machine machine(symbol_places(options.symbols, call.config, reader->header()));
  ReplayOptions replay_options;
  replay_options.filter = std::move(**filter);
  if (options.threads) replay_options.shown.set(static_cast<std::size_t>(abi::RecordType::Read));
  replay_options.every_record = options.dump;
  if (options.dump) replay_options.workers = 1;
  Replay replay(*reader, machine, std::move(replay_options));
  RawDumpSink dump(RawDump(*reader, event_names(*reader), RawDump::Command::Report), **collector, call.out);
  const Result<> outcome = replay.run(options.dump ? static_cast<ReplaySink&>(dump) : **collector);
  warn_about_losses(call, replay.account(), reader->account());
  plan->names = event_names(*reader);

  const std::vector<ThreadRead> reads = (*collector)->thread_reads();
  const Hists hists = (*collector)->finish();
  if (options.stats) {
    print_record_stats(*plan, reader->header(), options.skip_empty, replay.account(), hists, call.out);
    return 0;
  }
  bool any = false;
  for (u32 event = 0; event < hists.event_count(); ++event) any = any || hists.totals(event).samples != 0;
  if (!any) {
    const std::string name = options.input.empty() ? std::string(kDefaultInput) : options.input;
    return refuse(call, fmt::format("Error:\nThe {} data has no samples!", name), 0);
  }
  MachineNaming naming(machine, options.verbose > 0);
  if (!options.flame_graph.empty()) return write_flame_graph(options, *plan, keys, *reader, hists, naming, call);
  Page(options, *plan, *reader, hists, naming, call.out).print(replay.account().lost_samples);
  if (options.threads) print_threads(*plan, reads, call.out);
  if (!outcome) return refuse(call, outcome.error().message);
  return 0;
}

}  // namespace peregrine::cmd
