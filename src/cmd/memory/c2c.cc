// c2c: cache lines that CPUs contend for: `record` samples data accesses, `report` sums them by line.
#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/row/graph_options.h"
#include "auxtrace/itrace.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/memory/access_recording.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/report/browse.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/script/script_places.h"
#include "output/text/access/sharing_text.h"
#include "output/tui/access/sharing_screen.h"
#include "session/memory/access_choice.h"
#include "session/memory/sharing_session.h"
#include "session/recording/trace_choice.h"

namespace peregrine::cmd {

namespace {

struct C2cOptions {
  TracedInput input;
  SymbolOptions symbols;
  SharingRequest sharing;
  int nodes = 0;
  bool statistics_only = false, full_symbols = false, no_source = false, stdio = false;
  bool function_view = false;
  // passed to record
  std::vector<std::string> events;
  unsigned latency = kShortestLatency;
  bool kernel_only = false, user_only = false;
};

Result<> set_c2c_graph(C2cOptions& options, const Use& use) {
  if (!use.negated) return parse_graph_options(use.value, options.sharing.graph);
  options.sharing.graph.mode = GraphMode::None;
  return {};
}

Result<> set_coalesced(C2cOptions& options, const Use& use) {
  options.sharing.grouping = {};
  if (use.negated) return {};
  auto grouping = parse_sharing_grouping(use.value);
  if (!grouping) return std::unexpected(std::move(grouping.error()));
  options.sharing.grouping = std::move(*grouping);
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
           .help = "sample only kernel accesses",
           .store = set<&C2cOptions::kernel_only>},
    Option{.name = "all-user",
           .letter = 'u',
           .help = "sample only user-space accesses",
           .store = set<&C2cOptions::user_only>},
    Option{.name = "event",
           .letter = 'e',
           .value = Value::Required,
           .metavar = "event",
           .help = "sample this memory event ('list' shows the machine's events)",
           .store = set<&C2cOptions::events>},
    Option{.name = "ldlat",
           .letter = 'l',
           .value = Value::Required,
           .metavar = "n",
           .help = "sample only loads with at least this latency, in cycles",
           .store = set<&C2cOptions::latency>},
};
constexpr std::array kC2cReportOnly{
    Option{.name = "call-graph",
           .letter = 'g',
           .value = Value::NextWord,
           .metavar = "print_type,threshold[,print_limit],order,sort_key,value",
           .help =
               "print call chains in this form, as in report -g; none: omit them. Default: callee; -g without a value: "
               "graph,0.5,caller,function,percent",
           .store = call<set_c2c_graph>,
           .implied = "graph,0.5,caller,function,percent",
           .words =
               [] {
                 return std::vector<std::string_view>{"graph",  "flat",     "fractal", "folded",  "none",   "caller",
                                                      "callee", "function", "address", "percent", "period", "count"};
               }},
    Option{.name = "coalesce",
           .letter = 'c',
           .value = Value::Required,
           .metavar = "field[,field...]",
           .help = "group accesses by pid, tid, iaddr (default) or dso",
           .store = call<set_coalesced>},
    Option{.name = "display",
           .letter = 'd',
           .value = Value::Required,
           .metavar = "tot|lcl|rmt|peer",
           .help = "sort by all, local or remote HITM, or by lines from other cores' caches (default on Arm)",
           .store = set<&C2cOptions::sharing, &SharingRequest::display>},
    Option{.name = "double-cl",
           .help = "merge adjacent lines in pairs, for processors that prefetch the neighbour",
           .store = set<&C2cOptions::sharing, &SharingRequest::double_lines>,
           .since = Since::Ours},
    Option{.name = "full-symbols",
           .help = "accepted and ignored: names are never truncated",
           .store = set<&C2cOptions::full_symbols>},
    Option{.name = "function-view",
           .help = "group by function instead of by line: readers, then writers to the same lines, then the lines",
           .store = set<&C2cOptions::function_view>,
           .since = Since::Ours},
    Option{.name = "no-source", .help = "omit source lines", .store = set<&C2cOptions::no_source>},
    Option{.name = "node-info",
           .letter = 'N',
           .help = "show the accesses of each node (twice: its CPUs)",
           .store = count<&C2cOptions::nodes>},
    Option{.name = "show-all",
           .help = "also show lines with few or no HITMs",
           .store = set<&C2cOptions::sharing, &SharingRequest::show_all>},
    Option{.name = "stats", .help = "print only the statistics", .store = set<&C2cOptions::statistics_only>},
    Option{.name = "stdio", .help = "print plain text, even on a terminal", .store = set<&C2cOptions::stdio>},
    kStitchLbrRow<&C2cOptions::sharing, &SharingRequest::stitch_branches>,
    kVmlinuxRow<&C2cOptions::symbols, &SymbolOptions::vmlinux>,
};
constexpr auto kC2cRecordOptions = joined_rows(kC2cRecordOnly, kC2cOptions);
constexpr auto kC2cReportOptions = joined_rows(kC2cReportOnly, kTracedInputRows<C2cOptions>);

bool wants_lines_screen(const C2cOptions& options) {
  return !options.stdio && !options.statistics_only && !options.input.dump;
}

SharingRequest sharing_request(const C2cOptions& options) {
  SharingRequest request = options.sharing;
  request.nodes = options.nodes == 0 ? NodeLook::Ids : options.nodes == 1 ? NodeLook::Shares : NodeLook::Cpus;
  request.shows_source = !options.no_source;
  return request;
}

Result<int> c2c_report(C2cOptions& options, Invocation& call) {
  if (options.function_view) PEREGRINE_TRY(check_has_functions(options.sharing.grouping));
  if (options.input.dump) return dump_traced(options.input, call);
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(decode_recording(*recording->reader, memory_traces(), ItraceOptions(), options.symbols, call));
  SharingSession sharing(*recording, sharing_request(options));
  PEREGRINE_TRY(sharing.read(call.messages));
  tell_decoding(*recording->reader, call.messages);
  if (!sharing.any())
    return std::unexpected(Error{ErrorKind::Unsupported, "no memory access samples in this recording"}.with_hint(
        "record with `perf c2c record` or `perf mem record`"));
  if (wants_lines_screen(options) && has_screen(call)) {
    const auto shown = tui::show_sharing(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)},
                                         {.lines = sharing.lines(),
                                          .all = sharing.all(),
                                          .functions = sharing.functions(),
                                          .has_functions = sharing.has_functions(),
                                          .functions_first = options.function_view},
                                         sharing.look());
    if (shown) return 0;
    if (shown.error().kind != ErrorKind::Unsupported) return std::unexpected(shown.error());
    call.messages.note(shown.error().message, shown.error().hint);
  }
  print_sharing(sharing, {.functions = options.function_view, .statistics_only = options.statistics_only}, call.out);
  return 0;
}

Result<int> c2c_record(Invocation& call) {
  C2cOptions options;
  const auto rest = take_own_options(call, &options, kOwner<C2cOptions>);
  if (!rest) return std::unexpected(rest.error());
  std::vector<std::string> arguments{"--weight", "--data", "--phys-data", "--sample-cpu"};
  if (options.kernel_only) arguments.emplace_back("--all-kernel");
  if (options.user_only) arguments.emplace_back("--all-user");
  const AccessRecording recording{.events = std::move(options.events), .kinds = {}, .latency = options.latency};
  return record_accesses(recording, std::move(arguments), *rest, options.input.verbose > 0, call);
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
