#include "cmd/list/list_options.h"

#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"

namespace peregrine::cmd {

namespace {

constexpr Option kListOptions[] = {
    {.name = "desc",
     .letter = 'd',
     .help = "show descriptions of events, where known (--no-desc: names only)",
     .store = set<&ListRequest::describe>},
    {.name = "long-desc",
     .letter = 'v',
     .help = "show long descriptions; for tracepoints: fields, filter operators and print format",
     .store = set<&ListRequest::long_description>},
    {.name = "json", .letter = 'j', .help = "print an array of JSON objects", .store = set<&ListRequest::json>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write the list to this file",
     .store = set<&ListRequest::output>,
     .since = Since::Ours},
    {.name = "cputype",
     .value = Value::Required,
     .metavar = "hybrid cpu type",
     .help = "on hybrid processors: list PMU events of this core type only (core, atom)",
     .store = set<&ListRequest::cpu_type>},
    {.name = "unit",
     .value = Value::Required,
     .metavar = "PMU",
     .help = "list events of these PMUs only (a glob)",
     .store = set<&ListRequest::unit>},
    {.name = "debug", .help = "show where events are searched for", .store = set<&ListRequest::debug>},
    {.name = "deprecated",
     .help = "also list deprecated events (replaced by better names)",
     .store = set<&ListRequest::deprecated>},
    {.name = "details", .help = "also show what each event name expands to", .store = set<&ListRequest::details>},
    {.name = "summary",
     .help = "show the number of events per kind, and of tracepoints per subsystem",
     .store = set<&ListRequest::summary>,
     .since = Since::Ours},
    {.name = "attr",
     .value = Value::Required,
     .metavar = "event",
     .help = "print a JSON line per event of this -e list: its name, its group leader, and the bytes of the "
             "perf_event_attr that record would use",
     .store = set<&ListRequest::attr_of>,
     .since = Since::Ours},
    {.name = "raw-dump",
     .help = "print names only, on one line",
     .store = set<&ListRequest::raw_dump>,
     .shown = Shown::Hidden},
};
constexpr std::string_view kListUsage[] = {
    "[<options>] [hw|sw|cache|tracepoint|pmu|sdt|pfm|metric|metricgroup|event_glob]"};

constexpr std::string_view kListExamples[] = {
    "perf list|all events",
    "perf list sw|software events of the kernel",
    "perf list 'sched:*'|the tracepoints of the scheduler",
    "perf list -v sched:sched_switch|the fields of one tracepoint",
    "perf list fault|all events with \"fault\" in their names",
    "perf list --attr sched:sched_switch|the perf_event_attr that record would use",
    "perf list --summary|the number of events of each kind",
    "perf list -j -o events.json|all events as JSON, in a file",
};

}  // namespace

Result<> ListRequest::configure(const Config& config) {
  configure_sources(config, sources);
  return {};
}

constinit const Command kList{
    .name = "list",
    .summary = "List the events that -e accepts on this machine",
    .usage = kListUsage,
    .options = kListOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Lists the events that -e of record, stat and top accepts on this machine, with their kinds. Hardware events "
        "are listed only if the processor's counters can be opened.\n\n"
        "An argument selects a kind, or events by name: a glob, on either side of a tracepoint's colon, or a part of "
        "a name.",
    .examples = kListExamples,
    .run = entry<ListRequest, run_list>};

}  // namespace peregrine::cmd
