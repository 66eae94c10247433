#include "cmd/about/manual_notes.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace peregrine::cmd {

namespace {

using Texts = std::span<const std::string_view>;

// "column|meaning"; several columns are separated by commas.
constexpr std::string_view kReportColumns[] = {
    "Overhead|the row's share of all periods: of CPU time or of events; with equal periods, of the samples",
    "Children|the share of the function together with everything it calls; the sum over all rows exceeds 100%",
    "Self|the share of the function alone",
    "Samples|with -n: the number of samples in the row",
    "Command|the thread's name when the sample was taken",
    "Shared Object|the file with the code: a program, a library, [kernel.kallsyms], a module",
    "Symbol|the function, after [.] in user space, [k] in the kernel; [g], [u] in a guest's kernel, user space"};
constexpr std::string_view kTopColumns[] = {
    "irqs/sec|samples per second on all CPUs", "kernel|the share of samples in the kernel",
    "lost, drop|samples that the kernel or top dropped since the last refresh, and since the start",
    "self|the CPU time that top itself uses",
    "Overhead (first column)|the function's share of the recent samples; older samples lose an eighth at each refresh"};
constexpr std::string_view kAnnotateColumns[] = {
    "Percent|the instruction's share of the function's samples; of several events: one column each",
    "(after the colon)|the address, the instruction, and the target of jumps; or a source line with its number"};
constexpr std::string_view kStatColumns[] = {
    "(first column)|the count, or CPU time in ms; <not supported>: this machine has no such event; <not counted>: the "
    "event never got a counter",
    "(after #)|a metric: a rate, a ratio to another count, or the CPUs in use on average",
    "( +- N% )|with -r: the standard error of the mean over the runs",
    "(N%)|the share of the time in which the event had a counter; the count is scaled up to the whole time",
    "B/A|with --vs: how many times as much B needs, as the geometric mean over pairs of runs",
    "95% interval|with --vs: where B/A lies with 95% confidence",
    "B is|with --vs: more or less, if the difference is significant; unclear, if it may be chance"};
constexpr std::string_view kDiffColumns[] = {
    "Baseline|the row's share of the first recording",
    "Delta Abs, Delta|share in the other recording minus share in the baseline",
    "Ratio, Weighted diff|with -c ratio, wdiff: see -c",
    "95% Interval|where the change lies with 95% confidence, from the numbers of samples",
    "Real|yes: the change is significant; no: it may be chance"};
constexpr std::string_view kTraceColumns[] = {
    "(first column)|milliseconds from the first call to the start of this one",
    "(in parentheses)|how long the call took, in ms",
    "(comm/tid)|the thread",
    "(after =)|the result, or the error",
    "calls, errors|of -s: how often the thread made the call, and how often it failed",
    "total, min, avg, max|of -s: the durations in ms",
    "stddev|of -s: the standard error of the average, in percent"};
constexpr std::string_view kSchedColumns[] = {
    "Runtime ms|latency: time on a CPU",
    "Switches|latency: how often the task was put on a CPU",
    "Avg delay ms, Max delay ms|latency: from wake-up, or from losing the CPU, until the task ran",
    "Max delay start, Max delay end|latency: when the longest delay began and ended",
    "wait time|timehist: how long the task slept before it was woken",
    "sch delay|timehist: how long it waited for a CPU after that",
    "run time|timehist: how long it then ran"};
constexpr std::string_view kLockColumns[] = {
    "contended|how often a thread found the lock taken", "total wait, max wait, avg wait|how long these threads waited",
    "type|spinlock, mutex, rwsem:R for readers, rwsem:W for writers, ...",
    "caller|the function that wanted the lock; with -l: the lock, with -t: the waiting task, with -o: the owner"};
constexpr std::string_view kKmemColumns[] = {
    "Callsite, Alloc Ptr|the code that allocates, or the allocated address",
    "Total_alloc/Per|bytes that the kernel handed out: sum, and per allocation",
    "Total_req/Per|bytes that were requested: sum, and per allocation",
    "Hit|number of allocations",
    "Ping-pong|allocations that were freed on another CPU",
    "Frag|the share of the bytes handed out that was not requested"};
constexpr std::string_view kKworkColumns[] = {
    "Kwork Name|an interrupt with its number; (s): a softirq; (w): a workqueue function", "Cpu|the CPU on which it ran",
    "Total Runtime, Max runtime|report: how long it ran in all, and at most", "Count|how often it ran",
    "Avg delay, Max delay|latency: from raising or queueing it to its start"};
constexpr std::string_view kMemColumns[] = {
    "Local Weight, Weight|the latency of an access in cycles, per access and in sum",
    "Memory access|what served the access: L1, L2, L3, RAM, another node",
    "Data Symbol, Data Object|the accessed variable, and the file or mapping that has it",
    "Snoop|whether another cache had the line: None, Hit, HitM (modified)",
    "TLB access|what translated the address",
    "Locked|whether the access was atomic"};
constexpr std::string_view kC2cColumns[] = {
    "Hitm|loads of a line that another CPU had modified: in all, on the same node (LclHitm), on another (RmtHitm)",
    "Total records, Loads, Stores|sampled accesses to the line",
    "Offset|within the cache line: two offsets with different writers are false sharing",
    "Code address, Symbol|the code that accesses it", "cpu cnt|number of CPUs that do"};
constexpr std::string_view kIoColumns[] = {
    "calls|system calls; of fault: page faults",
    "asked, given|bytes that calls requested, and that they returned",
    "time|in calls; of disks: from queueing a request to its completion",
    "hit, miss|pages that reads found in the page cache, and that they had to add",
    "added, dirty|pages added to the page cache; folios that became dirty",
    "reqs, bytes|requests queued for disks, and their bytes"};
constexpr std::string_view kBlkColumns[] = {
    "Q2Q|time between two requests",
    "Q2G, G2I, I2D|from queueing to getting a request structure, to the scheduler, to the driver",
    "Q2D|from queueing to the driver: waiting in the queue",
    "D2C|from the driver to completion: the disk itself",
    "Q2C|from queueing to completion: what the program waits for",
    "(action)|in `script`: Q queued, G got a request, I inserted, M merged, D issued to the driver, C completed, P U "
    "plugged and unplugged"};
constexpr std::string_view kScriptColumns[] = {
    "(in order)|thread, process and thread id, [CPU], time in seconds, period, event, then the event's text or the "
    "instruction's address and function; -F selects and names them",
    "pairs|with --pair: number of starts that met their end",
    "total, min, average, max, 50%, 95%, 99%|with --pair: times between start and end, and their percentiles"};
constexpr std::string_view kKvmColumns[] = {"VM-EXIT|why the guest left guest mode",
                                            "Samples, Samples%|how often, and its share",
                                            "Time%|the share of the time spent in the host for exits",
                                            "Min Time, Max Time, Avg time|from the exit to the next entry"};
constexpr std::string_view kCheckColumns[] = {
    "yes|it works here", "NO|it exists, but you may not use it: the commands at the end change that",
    "-|this machine or kernel does not have it"};

struct Row {
  std::string_view command;
  Texts columns;
  std::string_view see_also;
};

constexpr Row kRows[] = {
    {"annotate", kAnnotateColumns, "report,record,diff"},
    {"archive", {}, "record,report,buildid-cache"},
    {"bench", {}, "stat,test"},
    {"blk", kBlkColumns, "io,script,trace"},
    {"buildid-cache", {}, "buildid-list,archive,record"},
    {"buildid-list", {}, "buildid-cache,archive"},
    {"c2c", kC2cColumns, "mem,record,lock"},
    {"check", kCheckColumns, "list,test,record"},
    {"completion", {}, "help"},
    {"config", {}, "record,report"},
    {"daemon", {}, "session,record"},
    {"data", {}, "script,view,archive"},
    {"diff", kDiffColumns, "report,record,stat"},
    {"evlist", {}, "list,script,report"},
    {"ftrace", {}, "trace,probe,script"},
    {"help", {}, "tour,check"},
    {"inject", {}, "record,script,archive"},
    {"io", kIoColumns, "blk,trace"},
    {"iostat", {}, "stat,io"},
    {"kallsyms", {}, "probe,list"},
    {"kmem", kKmemColumns, "record,script,stat"},
    {"kvm", kKvmColumns, "record,report,stat"},
    {"kwork", kKworkColumns, "sched,record"},
    {"list", {}, "record,stat,probe,check"},
    {"lock", kLockColumns, "trace,sched,c2c"},
    {"mem", kMemColumns, "c2c,record,report"},
    {"probe", {}, "record,list,trace"},
    {"record", {}, "report,annotate,script,list,check"},
    {"report", kReportColumns, "record,annotate,diff,script,top"},
    {"sched", kSchedColumns, "timechart,view,kwork"},
    {"script", kScriptColumns, "record,report,trace,data"},
    {"session", {}, "daemon,record,ftrace"},
    {"stat", kStatColumns, "record,list,diff,bench"},
    {"test", {}, "check,bench"},
    {"timechart", {}, "view,sched"},
    {"top", kTopColumns, "record,report,stat"},
    {"tour", {}, "record,report,help"},
    {"trace", kTraceColumns, "io,script,record,ftrace"},
    {"version", {}, "check,help"},
    {"view", {}, "timechart,sched,report"},
};

}  // namespace

ManualNotes manual_notes(std::string_view command) {
  const auto row = std::ranges::find(kRows, command, &Row::command);
  if (row == std::end(kRows)) return {};
  return {.columns = row->columns, .see_also = row->see_also};
}

}  // namespace peregrine::cmd
