#include "cmd/list_options.h"

#include "cmd/command_table.h"
#include "cmd/event_sources.h"

namespace peregrine::cmd {

namespace {

constexpr Option kListOptions[] = {
    {.name = "desc",
     .letter = 'd',
     .help = "say what an event counts, where that is known (--no-desc: names only)",
     .store = set<&ListRequest::describe>},
    {.name = "long-desc",
     .letter = 'v',
     .help = "say it at length; of tracepoints the fields, how filters may compare them, and the print format",
     .store = set<&ListRequest::long_description>},
    {.name = "json", .letter = 'j', .help = "as an array of JSON objects", .store = set<&ListRequest::json>},
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
     .help = "on processors with several kinds of core: PMU events of this kind only (core, atom)",
     .store = set<&ListRequest::cpu_type>},
    {.name = "unit",
     .value = Value::Required,
     .metavar = "PMU",
     .help = "events of these PMUs only (a glob)",
     .store = set<&ListRequest::unit>},
    {.name = "debug", .help = "say where events are looked for", .store = set<&ListRequest::debug>},
    {.name = "deprecated", .help = "also events that have a better name today", .store = set<&ListRequest::deprecated>},
    {.name = "details", .help = "also what an event's name stands for", .store = set<&ListRequest::details>},
    {.name = "summary",
     .help = "how many events there are of each kind, and tracepoints of each subsystem",
     .store = set<&ListRequest::summary>,
     .since = Since::Ours},
    {.name = "attr",
     .value = Value::Required,
     .metavar = "event",
     .help = "a JSON object a line for each event of such a list as -e takes: its name, its group's leader, and the "
             "bytes of the struct perf_event_attr that record would give the kernel",
     .store = set<&ListRequest::attr_of>,
     .since = Since::Ours},
    {.name = "raw-dump",
     .help = "names only, in one line",
     .store = set<&ListRequest::raw_dump>,
     .shown = Shown::Hidden},
};
constexpr std::string_view kListUsage[] = {
    "[<options>] [hw|sw|cache|tracepoint|pmu|sdt|pfm|metric|metricgroup|event_glob]"};

constexpr std::string_view kListExamples[] = {
    "perf list|everything",
    "perf list sw|the events of the kernel that need no hardware",
    "perf list 'sched:*'|the tracepoints of the scheduler",
    "perf list -v sched:sched_switch|the fields of one",
    "perf list fault|everything with \"fault\" in its name",
    "perf list --attr sched:sched_switch|what the kernel would be asked for",
    "perf list --summary|how many there are of each kind",
    "perf list -j -o events.json|everything, as JSON in a file",
};

}  // namespace

Result<> ListRequest::configure(const Config& config) {
  configure_sources(config, sources);
  return {};
}

constinit const Command kList{
    .name = "list",
    .summary = "Show the events that -e takes here",
    .usage = kListUsage,
    .options = kListOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Prints every event that -e of record, stat and top takes on this machine, with its kind. "
        "Hardware events appear only where the processor's counters can be opened.\n\n"
        "A word chooses a kind, or the events whose name it is: globs are taken on either side of a tracepoint's "
        "colon, and a word that is part of a name will do.",
    .examples = kListExamples,
    .run = entry<ListRequest, run_list>};

}  // namespace peregrine::cmd
