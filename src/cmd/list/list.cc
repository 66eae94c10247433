// list: the events and metrics that this machine offers.
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "output/sink.h"
#include "output/text_file.h"
#include "session/listing/attr_list.h"
#include "session/listing/event_lister.h"
#include "session/listing/list_request.h"

namespace peregrine::cmd {

namespace {

struct ListOptions {
  ListRequest request;
  std::string output;
  std::string attr_of;  // --attr: a list of events
  bool debug = false;

  Result<> configure(const Config& config) {
    configure_sources(config, request.sources);
    return {};
  }
};

constexpr Option kListOptions[] = {
    {.name = "desc",
     .letter = 'd',
     .help = "show descriptions of events, where known (--no-desc: names only)",
     .store = set<&ListOptions::request, &ListRequest::describe>},
    {.name = "long-desc",
     .letter = 'v',
     .help = "show long descriptions; for tracepoints: fields, filter operators and print format",
     .store = set<&ListOptions::request, &ListRequest::long_description>},
    {.name = "json",
     .letter = 'j',
     .help = "print a JSON array",
     .store = set<&ListOptions::request, &ListRequest::json>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write the list to this file",
     .store = set<&ListOptions::output>,
     .since = Since::Ours},
    {.name = "cputype",
     .value = Value::Required,
     .metavar = "hybrid cpu type",
     .help = "on hybrid processors: list only PMU events of this core type (core, atom)",
     .store = set<&ListOptions::request, &ListRequest::cpu_type>},
    {.name = "unit",
     .value = Value::Required,
     .metavar = "PMU",
     .help = "list only events of these PMUs (a glob)",
     .store = set<&ListOptions::request, &ListRequest::unit>},
    {.name = "debug", .help = "show where events are looked up", .store = set<&ListOptions::debug>},
    {.name = "deprecated",
     .help = "also list deprecated events (replaced by better names)",
     .store = set<&ListOptions::request, &ListRequest::deprecated>},
    {.name = "details",
     .help = "also show what each event name expands to",
     .store = set<&ListOptions::request, &ListRequest::details>},
    {.name = "summary",
     .help = "show the number of events per kind, and of tracepoints per subsystem",
     .store = set<&ListOptions::request, &ListRequest::summary>,
     .since = Since::Ours},
    {.name = "attr",
     .value = Value::Required,
     .metavar = "event",
     .help = "print one JSON line per event of this -e list: name, group leader, and the bytes of the perf_event_attr "
             "that record would use",
     .store = set<&ListOptions::attr_of>,
     .since = Since::Ours},
    {.name = "raw-dump",
     .help = "print only names, on one line",
     .store = set<&ListOptions::request, &ListRequest::raw_dump>,
     .shown = Shown::Hidden},
};
constexpr std::string_view kListUsage[] = {
    "[<options>] [hw|sw|cache|tracepoint|pmu|sdt|pfm|metric|metricgroup|event_glob]"};

constexpr std::string_view kListExamples[] = {
    "perf list|all events",
    "perf list sw|software events of the kernel",
    "perf list 'sched:*'|the tracepoints of the scheduler",
    "perf list -v sched:sched_switch|the fields of one tracepoint",
    "perf list fault|all events with \"fault\" in the name",
    "perf list --attr sched:sched_switch|the perf_event_attr that record would use",
    "perf list --summary|the number of events of each kind",
    "perf list -j -o events.json|all events as JSON, in a file",
};

Result<> list_to(ListOptions& options, Sink& out, Invocation& call) {
  ListRequest& request = options.request;
  if (!options.attr_of.empty()) return print_event_attrs(options.attr_of, request.sources, out, call.messages);
  return list_events(request, can_open_counter, out, call.messages);
}

Result<int> run_list(ListOptions& options, Invocation& call) {
  options.request.words = call.words;
  options.request.program_name = call.messages.program();
  Result<> listed;
  if (options.output.empty())
    listed = list_to(options, call.out, call);
  else
    PEREGRINE_TRY(write_whole_file(options.output, call.out, [&](Sink& out) { listed = list_to(options, out, call); }));
  if (!listed) return std::unexpected(std::move(listed.error()));
  return 0;
}

}  // namespace

constinit const Command kList{
    .name = "list",
    .summary = "List the events that -e accepts on this machine",
    .usage = kListUsage,
    .options = kListOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Lists the events that record, stat and top accept with -e on this machine, and their kinds. Hardware events "
        "are listed only if the processor's counters can be opened.\n\n"
        "An argument selects a kind of event, or events by name: a glob (for tracepoints, on either side of the colon) "
        "or part of a name.",
    .examples = kListExamples,
    .run = entry<ListOptions, run_list>};

}  // namespace peregrine::cmd
