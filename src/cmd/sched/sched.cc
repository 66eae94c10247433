// sched: scheduler analyses: which tasks waited how long for a CPU, and which ran where and when.
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/parser.h"
#include "cmd/command_table.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sched/sched_parts.h"
#include "session/recording/tracepoint/tracepoint_recording.h"

namespace peregrine::cmd {

namespace {

struct SchedOptions {
  TracedInput input;
};
constexpr auto kSchedOptions = kTracedInputRows<SchedOptions>;
constexpr const Command* kSchedParts[] = {&kSchedRecord, &kSchedLatency, &kSchedMap,  &kSchedTimehist,
                                          &kSchedReplay, &kSchedScript,  &kSchedStats};
constexpr std::string_view kSchedUsage[] = {
    "[<options>] {record|latency|map|replay|script|stats|timehist} [<subcommand options>]"};
constexpr std::string_view kSchedDescription =
    "Analyses the scheduler: which tasks ran where, and how long they waited for a CPU. Use it when a program is slow "
    "but uses little CPU time.\n\n"
    "`record`: record the scheduler's tracepoints on all CPUs while a command runs\n"
    "`latency`: show how long each task was runnable but waited for a CPU\n"
    "`timehist`: show each run of a task on a CPU, and how long it slept and waited before\n"
    "`map`: draw which task ran on which CPU\n"
    "`script`: print the recorded events\n"
    "`replay`: repeat the recorded runs, sleeps and wake-ups\n"
    "`stats record`: save /proc/schedstat before and after a command\n"
    "`stats report`: show the differences, per CPU and scheduling domain\n"
    "`stats diff`: compare two such recordings\n"
    "`stats live`: show the differences without a recording";
constexpr std::string_view kSchedExamples[] = {
    "perf sched record -- sleep 1|scheduler events for one second",
    "perf sched latency|the tasks that waited longest, and when",
    "perf sched timehist -MVw|each switch, with wake-ups and migrations to other CPUs",
    "perf sched map --compact|which task ran on which CPU",
    "perf sched stats live -- make|run queue load and load balancing",
};

Result<int> sched_record(Invocation& call) { return record_traced(scheduler_recording(), call.arguments, call); }
Result<int> sched_script(Invocation& call) { return run_other(kScript, call.arguments, call); }

}  // namespace

constinit const Command kSchedRecord{.name = "sched record",
                                     .summary = "Record scheduler events",
                                     .usage = {},
                                     .passes_to = &kRecord,
                                     .run = sched_record};
constinit const Command kSchedScript{.name = "sched script",
                                     .summary = "Print the recorded events",
                                     .usage = {},
                                     .passes_to = &kScript,
                                     .run = sched_script};

constinit const Command kSched{.name = "sched",
                               .summary = "Show scheduling delays, switches and CPU maps",
                               .usage = kSchedUsage,
                               .options = kSchedOptions,
                               .parts = kSchedParts,
                               .words_at = Words::StopAtFirst,
                               .paging = Paging::ToTerminal,
                               .description = kSchedDescription,
                               .examples = kSchedExamples,
                               .run = run_part};

}  // namespace peregrine::cmd
