// c2c: cache lines that cores fight over: record samples accesses of data, report sums them up by line.
#include <algorithm>
#include <optional>

#include "analysis/sharing/sharing_order.h"
#include "cmd/command_table.h"
#include "cmd/memory/access_recording.h"
#include "cmd/memory/c2c_callers.h"
#include "cmd/memory/c2c_screen.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/report/browse.h"
#include "cmd/sandbox/confined_reader.h"
#include "data/feature/host/node_cpus.h"
#include "data/feature/host/node_memory.h"
#include "output/text/access/sharing_text.h"
#include "session/event_names.h"

namespace peregrine::cmd {

namespace {

constexpr u64 kUsualLine = 64;  // bytes

struct C2cOptions {
  TracedInput input;
  SymbolOptions symbols;
  std::string coalesce = "iaddr", display;
  int nodes = 0;
  GraphOptions graph;
  bool stitch_lbr = false, double_lines = false;
  bool statistics_only = false, full_symbols = false, no_source = false, show_all = false, stdio = false;
  bool function_view = false;
  // of record
  std::vector<std::string> events;
  unsigned latency = kShortestLatency;
  bool kernel_only = false, user_only = false;
};

Result<> set_c2c_graph(C2cOptions& options, const Use& use) {
  if (!use.negated) return parse_graph_options(use.value, options.graph);
  options.graph.mode = GraphMode::None;
  return {};
}

constexpr std::array kC2cOptions{
    Option{.name = "verbose",
           .letter = 'v',
           .help = "print more",
           .store = count<&C2cOptions::input, &TracedInput::verbose>},
};
constexpr std::array kC2cRecordOnly{
    Option{.name = "all-kernel",
           .letter = 'k',
           .help = "only accesses by the kernel",
           .store = set<&C2cOptions::kernel_only>},
    Option{
        .name = "all-user", .letter = 'u', .help = "only accesses by user space", .store = set<&C2cOptions::user_only>},
    Option{.name = "event",
           .letter = 'e',
           .value = Value::Required,
           .metavar = "event",
           .help = "memory event to sample ('list' shows the machine's events)",
           .store = set<&C2cOptions::events>},
    Option{.name = "ldlat",
           .letter = 'l',
           .value = Value::Required,
           .metavar = "n",
           .help = "minimum latency of sampled loads, in cycles",
           .store = set<&C2cOptions::latency>},
};
constexpr std::array kC2cReportOnly{
    Option{.name = "call-graph",
           .letter = 'g',
           .value = Value::NextWord,
           .metavar = "print_type,threshold[,print_limit],order,sort_key,value",
           .help = "how to print call chains of the code, as in report -g; none: omit them. Default: callee, with -g "
                   "alone graph,0.5,caller,function,percent",
           .store = call<set_c2c_graph>,
           .implied = "graph,0.5,caller,function,percent"},
    Option{.name = "coalesce",
           .letter = 'c',
           .value = Value::Required,
           .metavar = "field[,field...]",
           .help = "show one row per pid, tid, iaddr (default) or dso",
           .store = set<&C2cOptions::coalesce>},
    Option{.name = "display",
           .letter = 'd',
           .value = Value::Required,
           .metavar = "tot|lcl|rmt|peer",
           .help = "sort by all, local or remote HITM, or by lines from other cores' caches (default on Arm)",
           .store = set<&C2cOptions::display>},
    Option{.name = "double-cl",
           .help = "merge adjacent lines in pairs, for processors that prefetch the neighbour",
           .store = set<&C2cOptions::double_lines>,
           .since = Since::Ours},
    Option{.name = "full-symbols",
           .help = "accepted and ignored: names are never truncated",
           .store = set<&C2cOptions::full_symbols>},
    Option{.name = "function-view",
           .help = "group by function instead of by line: readers, writers to the same lines, and the lines",
           .store = set<&C2cOptions::function_view>,
           .since = Since::Ours},
    Option{.name = "no-source", .help = "omit source lines", .store = set<&C2cOptions::no_source>},
    Option{.name = "node-info",
           .letter = 'N',
           .help = "show the accesses of each node (twice: its CPUs)",
           .store = count<&C2cOptions::nodes>},
    Option{.name = "show-all", .help = "show lines with few or no HITMs too", .store = set<&C2cOptions::show_all>},
    Option{.name = "stats", .help = "print the statistics only", .store = set<&C2cOptions::statistics_only>},
    Option{.name = "stdio", .help = "print plain text, even on a terminal", .store = set<&C2cOptions::stdio>},
    kStitchLbrRow<&C2cOptions::stitch_lbr>,
    kVmlinuxRow<&C2cOptions::symbols, &SymbolOptions::vmlinux>,
};
constexpr auto kC2cRecordOptions = joined_rows(kC2cRecordOnly, kC2cOptions);
constexpr auto kC2cReportOptions = joined_rows(kC2cReportOnly, kTracedInputRows<C2cOptions>);

Result<SharingKeys> sharing_keys(const std::string& words) {
  SharingKeys keys{.code = false};
  for (const std::string& word : split_words(words)) {
    bool* const key = word == "pid"     ? &keys.pid
                      : word == "tid"   ? &keys.tid
                      : word == "iaddr" ? &keys.code
                      : word == "dso"   ? &keys.dso
                                        : nullptr;
    if (key == nullptr)
      return std::unexpected(
          Error{ErrorKind::Usage, fmt::format("-c: no field '{}'", word)}.with_hint("there are pid, tid, iaddr, dso"));
    *key = true;
  }
  return keys;
}

Result<SharingOrder> order_of(const std::string& word, const data::Features& features) {
  if (word.empty())
    return features.arch && features.arch->starts_with("aarch64") ? SharingOrder::Peer : SharingOrder::TotalHitm;
  if (word == "tot") return SharingOrder::TotalHitm;
  if (word == "lcl") return SharingOrder::LocalHitm;
  if (word == "rmt") return SharingOrder::RemoteHitm;
  if (word == "peer") return SharingOrder::Peer;
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("-d: no order '{}'", word)}.with_hint("there are tot, lcl, rmt, peer"));
}

// Where the recorded machine's CPUs and memory are.
std::function<i32(u32)> nodes_of_cpus(const data::Features& features) {
  const auto& topology = features.numa_topology;
  return [nodes = topology ? data::nodes_of_cpus(*topology, -1) : std::vector<i32>()](u32 cpu) {
    return cpu < nodes.size() ? nodes[cpu] : -1;
  };
}

std::function<i32(u64)> nodes_of_memory(const data::Features& features) {
  return [topology = features.memory_topology](u64 physical) {
    return topology ? data::node_of_memory(*topology, physical) : -1;
  };
}

// How the rows' code is named.
void name_code(SharingLook& look, Resolver& resolver, SourceTable& sources) {
  look.symbol = [&resolver](const SharingRow& row) {
    const Frame& frame = row.frame;
    const std::string name =
        frame.symbol ? std::string(resolver.symbol_name(frame)) : fmt::format("0x{:016x}", frame.address);
    return fmt::format("[{}] {}", frame_letter(frame.kind), name);
  };
  look.object = [&resolver](const SharingRow& row) {
    const DsoId dso = row.frame.dso;
    return dso ? std::string(resolver.machine().dsos().at(dso).short_name) : std::string("[unknown]");
  };
  look.source = [&resolver, &sources](const SharingRow& row) {
    return std::string(sources.text(sources.shown_line(resolver, row.frame)));
  };
}

bool has_callers(const data::Evlist& evlist, const C2cOptions& options) {
  return options.graph.mode != GraphMode::None && std::ranges::any_of(evlist, [](const data::Event& event) {
           return (event.attr.sample_type & abi::sample_bit::Callchain) != 0;
         });
}

bool wants_lines_screen(const C2cOptions& options) {
  return !options.stdio && !options.statistics_only && !options.input.dump;
}

Result<int> c2c_report(C2cOptions& options, Invocation& call) {
  const auto keys = sharing_keys(options.coalesce);
  if (!keys) return std::unexpected(keys.error());
  if (options.function_view && !keys->code)
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("-c {} merges the code of different functions, which "
                                                               "--function-view needs separately",
                                                               options.coalesce)}
                               .with_hint(fmt::format("add the code address: -c {},iaddr", options.coalesce)));
  if (options.input.dump) return dump_traced(options.input, call);
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(decode_recording(*recording->reader, memory_traces(), ItraceOptions(), options.symbols, call));
  const data::Features& features = recording->reader->header().features;
  const auto order = order_of(options.display, features);
  if (!order) return std::unexpected(order.error());
  if (options.stitch_lbr) check_stitching(recording->reader->evlist(), call);
  std::optional<SharingCallers> callers;
  if (has_callers(recording->reader->evlist(), options)) {
    auto made = SharingCallers::make(options.graph);
    if (!made) return std::unexpected(std::move(made.error()));
    callers.emplace(std::move(*made));
  }
  const u64 line_size = features.cacheline_size.value_or(kUsualLine);
  LineSharing sharing(*keys, options.double_lines ? 2 * line_size : line_size, callers ? &callers->sink() : nullptr);
  PEREGRINE_TRY(replay_in_order(*recording, sharing, {}, call, {}, options.stitch_lbr));
  tell_decoding(*recording->reader, call);
  if (sharing.all().records == 0)
    return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no samples of accesses of data"}.with_hint(
        "record with `c2c record` or `mem record`"));
  SharingLook look{.order = *order,
                   .keys = *keys,
                   .nodes = options.nodes == 0   ? NodeLook::Ids
                            : options.nodes == 1 ? NodeLook::Shares
                                                 : NodeLook::Cpus,
                   .grouping = "offset," + options.coalesce,
                   .events = event_names(*recording->reader),
                   .node_of_cpu = nodes_of_cpus(features),
                   .node_of_memory = nodes_of_memory(features),
                   .symbol = {},
                   .object = {},
                   .source = {},
                   .shows_source = !options.no_source};
  Resolver resolver(*recording->machine);
  SourceTable sources(recording->machine->dsos(), false);
  name_code(look, resolver, sources);
  if (callers) {
    callers->finish(*recording->machine);
    look.callers = [&callers](const SharedLine& line, const SharingRow& row) { return callers->text(line, row); };
  }
  const std::vector<SharedLine> all = sharing.take_lines();
  const std::vector<SharedLine> lines = contended_lines(all, sharing.all(), *order, options.show_all);
  // Without the code's address rows are of several functions.
  const std::vector<ContendedFunction> functions =
      keys->code ? contended_functions(lines) : std::vector<ContendedFunction>();
  if (wants_lines_screen(options) && has_screen(call)) {
    const auto shown = show_shared_lines({.lines = lines,
                                          .all = sharing.all(),
                                          .functions = functions,
                                          .has_functions = keys->code,
                                          .functions_first = options.function_view},
                                         look, call);
    if (shown || shown.error().kind != ErrorKind::Unsupported)
      return shown ? Result<int>(0) : std::unexpected(shown.error());
    call.messages.note(shown.error().message, shown.error().hint);
  }
  if (options.function_view && !options.statistics_only) {
    print_shared_functions(functions, sharing.all(), look, call.out);
    return 0;
  }
  print_access_statistics(sharing.all(), call.out);
  print_shared_statistics(all, look, call.out);
  if (options.statistics_only) return 0;
  print_shared_lines(lines, sharing.all(), look, call.out);
  print_line_rows(lines, look, call.out);
  return 0;
}

Result<int> c2c_record(Invocation& call) {
  C2cOptions options;
  const auto rest = take_own_options(call, &options, kOwner<C2cOptions>);
  if (!rest) return std::unexpected(rest.error());
  AccessRecording request{.events = std::move(options.events),
                          .latency = options.latency,
                          .words = {"--weight", "--data", "--phys-data", "--sample-cpu"},
                          .verbose = options.input.verbose > 0};
  if (options.kernel_only) request.words.emplace_back("--all-kernel");
  if (options.user_only) request.words.emplace_back("--all-user");
  return record_accesses(std::move(request), *rest, call);
}

constexpr Command kC2cRecordPart{.name = "c2c record",
                                 .summary = "Sample memory accesses",
                                 .options = kC2cRecordOptions,
                                 .passes_to = &kRecord,
                                 .run = c2c_record};
constexpr Command kC2cReportPart{.name = "c2c report",
                                 .summary = "Show cache lines that CPUs contend for",
                                 .options = kC2cReportOptions,
                                 .takes_screen = screen<C2cOptions, wants_lines_screen>,
                                 .run = entry<C2cOptions, confined<C2cOptions, c2c_report>>};
constexpr const Command* kC2cParts[] = {&kC2cRecordPart, &kC2cReportPart};
constexpr std::string_view kC2cUsage[] = {"[<options>] {record|report} [<subcommand options>]"};
constexpr std::string_view kC2cDescription =
    "Finds false sharing: when several cores write to one cache line, even to different variables in it, the line "
    "moves between their caches and each access is slow.\n\n"
    "`record` samples loads and stores, with the data address and the cache or memory that served it. It needs a "
    "processor that can sample them: Intel (mem-loads, mem-stores) or AMD with IBS. `report` groups the samples by "
    "cache line. The lines most often found modified in another core's cache (HITM) come first, each with the code "
    "that accessed it, by offset in the line.";
constexpr std::string_view kC2cExamples[] = {
    "perf c2c record -a -- sleep 10|accesses of all CPUs for ten seconds",
    "perf c2c report --stdio|contended cache lines, and the code that accesses them",
    "perf c2c report -d rmt -c pid,iaddr|by remote HITM, with separate rows per process",
};

}  // namespace

constinit const Command kC2c{.name = "c2c",
                             .summary = "Find cache lines that CPUs contend for",
                             .usage = kC2cUsage,
                             .options = kC2cOptions,
                             .parts = kC2cParts,
                             .words_at = Words::StopAtFirst,
                             .paging = Paging::ToTerminal,
                             .takes_screen = part_takes_screen,
                             .description = kC2cDescription,
                             .examples = kC2cExamples,
                             .run = run_part};

}  // namespace peregrine::cmd
