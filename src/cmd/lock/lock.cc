// lock: which locks of the kernel and of user space threads wait for, how long, and by whom.
#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "base/text/words.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/lock/lock_live.h"
#include "cmd/lock/lock_table.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/kernel/lock_text.h"
#include "session/lock/lock_choice.h"
#include "session/lock/lock_session.h"
#include "session/lock/lock_tables.h"
#include "session/recording/tracepoint/tracepoint_recording.h"
#include "session/sandbox/reader_sandbox.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine::cmd {

namespace {

struct LockOptions {
  TracedInput input;
  SymbolOptions symbols;
  bool quiet = false;
  std::string fields, key;
  std::optional<std::size_t> entries;
  bool by_task = false, by_lock = false, by_name = false, by_cgroup = false;  // -t, -l, -c, -g
  bool map = false;
  unsigned max_stack = 8, skip = 3;
  std::string functions;  // -S
  LockOutput output;
  LockLiveOptions live;

  ReaderNeeds needs() const {
    ReaderNeeds needs{.inputs = {input.path}, .outputs = {output.path}};
    add_symbol_needs(symbols, needs);
    return needs;
  }
};

constexpr std::array kLockSharedRows{
    kKallsymsRow<&LockOptions::symbols, &SymbolOptions::kallsyms>,
    Option{.name = "quiet", .letter = 'q', .help = "print no warnings or titles", .store = set<&LockOptions::quiet>},
    Option{.name = "vmlinux",
           .value = Value::Required,
           .metavar = "file",
           .help = "read kernel symbols from this image",
           .store = set_readable<&LockOptions::symbols, &SymbolOptions::vmlinux>},
};
constexpr std::array kTableRows{
    Option{.name = "entries",
           .letter = 'E',
           .value = Value::Required,
           .metavar = "n",
           .help = "print at most N rows",
           .store = set<&LockOptions::entries>},
    Option{.name = "field",
           .letter = 'F',
           .value = Value::Required,
           .metavar = "field[,field...]",
           .help = "show these columns: acquired (report only), contended, avg_wait, wait_total, wait_max, wait_min",
           .store = set<&LockOptions::fields>},
    Option{.name = "key",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "field",
           .help = "sort by this field, largest first",
           .store = set<&LockOptions::key>},
    Option{.name = "threads", .letter = 't', .help = "show one row per task", .store = set<&LockOptions::by_task>},
};
constexpr std::array kLockReportOnly{
    Option{.name = "combine-locks",
           .letter = 'c',
           .help = "merge locks with the same name into one row",
           .store = set<&LockOptions::by_name>},
};
constexpr std::array kContentionOnly{
    Option{.name = "all-cpus",
           .letter = 'a',
           .help = "trace all CPUs live, without a recording",
           .store = set<&LockOptions::live, &LockLiveOptions::target, &TargetRequest::system_wide>},
    kCallstackFilterRow<&LockOptions::functions>,
    Option{.name = "cgroup-filter",
           .letter = 'G',
           .value = Value::Required,
           .metavar = "cgroup[,cgroup...]",
           .help = "show only waits of tasks in these cgroups; live only",
           .store = set<&LockOptions::live, &LockLiveOptions::choice, &LockChoice::cgroups>,
           .since = Since::Ours},
    Option{.name = "cpu",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "cpus",
           .help = "trace these CPUs live, without a recording",
           .store = set<&LockOptions::live, &LockLiveOptions::target, &TargetRequest::cpus>},
    Option{.name = "lock-addr",
           .letter = 'l',
           .help = "show one row per lock",
           .store = set<&LockOptions::by_lock>,
           .since = Since::Ours},
    Option{.name = "inject-delay",
           .letter = 'J',
           .value = Value::Required,
           .metavar = "time@lock[,...]",
           .help = "after each wait, make the new owner hold the lock this much longer (at most 10ms); live only",
           .store = set<&LockOptions::live, &LockLiveOptions::choice, &LockChoice::delays>,
           .since = Since::Ours},
    Option{.name = "lock-cgroup",
           .letter = 'g',
           .help = "show one row per cgroup of the waiting tasks",
           .store = set<&LockOptions::by_cgroup>,
           .since = Since::Ours},
    Option{.name = "lock-filter",
           .letter = 'L',
           .value = Value::Required,
           .metavar = "lock[,lock...]",
           .help = "show only these locks, by address or kernel symbol",
           .store = set<&LockOptions::live, &LockLiveOptions::choice, &LockChoice::locks>,
           .since = Since::Ours},
    Option{.name = "lock-owner",
           .letter = 'o',
           .help = "show one row per lock owner (mutexes, and semaphores held by writers); live only",
           .store = set<&LockOptions::live, &LockLiveOptions::choice, &LockChoice::by_owner>,
           .since = Since::Ours},
    Option{.name = "map-nr-entries",
           .letter = 'M',
           .value = Value::Required,
           .metavar = "n",
           .help = "keep at most this many distinct waits; live only (default: 10240)",
           .store = set<&LockOptions::live, &LockLiveOptions::choice, &LockChoice::most_kinds>},
    kLockCsvSafeRow<&LockOptions::output, &LockOutput::csv_safe>,
    kLockSeparatorRow<&LockOptions::output, &LockOutput::separator>,
    Option{.name = "max-stack",
           .value = Value::Required,
           .metavar = "n",
           .help = "use N frames to distinguish callers",
           .store = set<&LockOptions::max_stack>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "trace waits of these processes live, without a recording",
           .store = set<&LockOptions::live, &LockLiveOptions::target, &TargetRequest::pids>},
    Option{.name = "stack-skip",
           .value = Value::Required,
           .metavar = "n",
           .help = "skip N innermost frames",
           .store = set<&LockOptions::skip>},
    Option{.name = "tid",
           .value = Value::Required,
           .metavar = "tid[,tid...]",
           .help = "trace waits of these threads live, without a recording",
           .store = set<&LockOptions::live, &LockLiveOptions::target, &TargetRequest::tids>},
    kTimeoutRow<&LockOptions::live, &LockLiveOptions::limit>,
    Option{.name = "type-filter",
           .letter = 'Y',
           .value = Value::Required,
           .metavar = "type[,type...]",
           .help = "show only locks of these types, as named in the rows",
           .store = set<&LockOptions::live, &LockLiveOptions::choice, &LockChoice::types>,
           .since = Since::Ours},
    Option{.name = "user-locks",
           .help = "add a table of user-space locks; live only (default for commands and processes, unless -L, -Y, -G, "
                   "-S, -o, -x or -q is given)",
           .store = set<&LockOptions::live, &LockLiveOptions::user_locks>,
           .since = Since::Ours},
    Option{.name = "use-bpf",
           .letter = 'b',
           .help = "trace live, aggregated by BPF, without a recording",
           .store = set<&LockOptions::live, &LockLiveOptions::use_bpf>},
};
constexpr std::array kInfoOnly{
    Option{.name = "map", .letter = 'm', .help = "list each lock with its name", .store = set<&LockOptions::map>},
    Option{.name = "threads", .letter = 't', .help = "list each task (default)", .store = set<&LockOptions::by_task>},
};
constexpr std::array kOutput{kLockOutputRow<&LockOptions::output, &LockOutput::path>};
constexpr auto kLockOptions = joined_rows(kOutput, kLockSharedRows, kTracedInputRows<LockOptions>);
constexpr auto kLockReportOptions =
    joined_rows(kLockReportOnly, kOutput, kTableRows, kLockSharedRows, kTracedInputRows<LockOptions>);
constexpr auto kContentionOptions =
    joined_rows(kContentionOnly, kOutput, kTableRows, kLockSharedRows, kTracedInputRows<LockOptions>);
constexpr auto kInfoOptions = joined_rows(kInfoOnly, kOutput, kLockSharedRows, kTracedInputRows<LockOptions>);

Result<int> lock_report(LockOptions& options, Invocation& call) {
  using enum LockColumn;
  auto columns = choose_columns({.fields = options.fields,
                                 .key = options.key,
                                 .usual = {Acquired, Contended, Average, Total, Most, Least},
                                 .usual_key = "acquired"});
  if (!columns) return std::unexpected(std::move(columns.error()));
  if (options.input.dump) return dump_traced(options.input, call);
  const LockBy by = options.by_task ? LockBy::Task : options.by_name ? LockBy::Name : LockBy::Lock;
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  const auto usage = follow_locks(*recording, {.by = by}, call.messages);
  if (!usage) return std::unexpected(usage.error());
  const LockTable table{std::move(columns->shown), by, options.entries, false, !options.quiet};
  PEREGRINE_TRY(write_lock_report(**usage, table, columns->key, options.output, call.out));
  return 0;
}

Result<LockBy> contention_by(const LockOptions& options) {
  if (options.by_lock && (options.by_task || options.live.choice.by_owner))
    return fail(ErrorKind::Usage, "-l cannot be combined with -t or -o: a row is a lock or a task");
  if (!options.by_cgroup)
    return options.by_task || options.live.choice.by_owner ? LockBy::Task
           : options.by_lock                               ? LockBy::Lock
                                                           : LockBy::Caller;
  if (options.by_task || options.by_lock || options.live.choice.by_owner)
    return fail(ErrorKind::Usage, "-g cannot be combined with -t, -l or -o");
  if (options.live.user_locks.value_or(false))
    return fail(ErrorKind::Usage, "--user-locks cannot be combined with -g: cgroups of futex waits are unknown");
  return LockBy::Cgroup;
}

// Nothing if the recording could not be opened, which was reported.
Result<std::optional<WatchedLocks>> recorded_waits(LockOptions& options, LockUsage::Request request, Invocation& call) {
  PEREGRINE_TRY(choose_locks(options.live.choice, request));
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return std::nullopt;
  const auto usage = follow_locks(*recording, request, call.messages);
  if (!usage) return std::unexpected(usage.error());
  return WatchedLocks{.kernel = (*usage)->rows()};
}

Result<std::optional<WatchedLocks>> live_waits(LockOptions& options, const LockUsage::Request& request,
                                               Invocation& call) {
  if (!options.input.path.empty())
    return fail(ErrorKind::Usage,
                "-i {} cannot be combined with live tracing: omit the command, -a, -b, -C, -p and --tid",
                options.input.path);
  if (!request.functions.empty() && request.by != LockBy::Caller)
    return fail(ErrorKind::Usage, "-S without a recording cannot be combined with -t, -l, -g or -o");
  return watched_locks(options.live, request, options.symbols, call);
}

Result<int> lock_contention(LockOptions& options, Invocation& call) {
  using enum LockColumn;
  auto columns = choose_columns({.fields = options.fields,
                                 .key = options.key,
                                 .usual = {Contended, Total, Most, Average},
                                 .usual_key = "wait_total",
                                 .waits_only = true});
  if (!columns) return std::unexpected(std::move(columns.error()));
  const auto by = contention_by(options);
  if (!by) return std::unexpected(by.error());
  PEREGRINE_TRY(check_separator(options.output));
  const bool stacks = options.input.verbose > 0 && *by == LockBy::Caller;
  LockUsage::Request request{.by = *by, .skip = options.skip, .max_stack = options.max_stack, .stacks = stacks};
  request.by_owner = options.live.choice.by_owner;
  request.functions = split_words(options.functions);
  options.live.choice.kallsyms = options.symbols.kallsyms;
  call.messages.set_quiet(options.quiet);
  PEREGRINE_TRY(settle_user_locks(options.output, *by, options.live.user_locks));
  const bool live = options.live.asked(call);
  std::optional<Sandbox> sandbox;  // until the table is written
  if (!live) {
    auto entered = enter_sandbox(options.needs(), call);
    if (!entered) return std::unexpected(std::move(entered.error()));
    sandbox = std::move(*entered);
  }
  auto waits = live ? live_waits(options, request, call) : recorded_waits(options, std::move(request), call);
  if (!waits) return std::unexpected(std::move(waits.error()));
  if (!*waits) return kNotOpened;
  const LockTable table{std::move(columns->shown), *by, options.entries, stacks, !options.quiet};
  PEREGRINE_TRY(write_contention(std::move(**waits), table, columns->key, options.output, call.out));
  return 0;
}

Result<int> list_locks(LockOptions& options, Invocation& call) {
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  const auto usage = follow_locks(*recording, {}, call.messages);
  if (!usage) return std::unexpected(usage.error());
  const LockList what = options.map ? LockList::Locks : LockList::Tasks;
  PEREGRINE_TRY(write_lock_list(**usage, what, options.output, call.out));
  return 0;
}

// The user's options and command are passed to record.
Result<int> lock_record(Invocation& call) {
  auto recording = lock_recording();
  if (!recording) return std::unexpected(std::move(recording.error()));
  return record_traced(std::move(*recording), call.arguments, call);
}
Result<int> lock_script(Invocation& call) { return run_other(kScript, call.arguments, call); }

constexpr Command kLockRecordPart{
    .name = "lock record", .summary = "Record lock waits", .passes_to = &kRecord, .run = lock_record};
constexpr Command kLockReportPart{.name = "lock report",
                                  .summary = "Show one row per lock",
                                  .options = kLockReportOptions,
                                  .run = entry<LockOptions, confined<LockOptions, lock_report>>};
constexpr Command kContentionPart{.name = "lock contention",
                                  .summary = "Show which code waits for locks",
                                  .options = kContentionOptions,
                                  .words_at = Words::StopAtFirst,
                                  .run = entry<LockOptions, lock_contention>};
constexpr Command kInfoPart{.name = "lock info",
                            .summary = "List tasks and locks",
                            .options = kInfoOptions,
                            .run = entry<LockOptions, confined<LockOptions, list_locks>>};
constexpr Command kScriptPart{
    .name = "lock script", .summary = "Print the recorded events", .passes_to = &kScript, .run = lock_script};
constexpr const Command* kLockParts[] = {&kLockRecordPart, &kLockReportPart, &kContentionPart, &kInfoPart,
                                         &kScriptPart};
constexpr std::string_view kLockUsage[] = {"[<options>] {record|report|contention|info|script}"};
constexpr std::string_view kLockDescription =
    "Shows which kernel locks tasks wait for, where and for how long. Use it when a program does not get faster with "
    "more threads.\n\n"
    "`record` records waits with the contention tracepoints of kernel 5.19 and later, or with lockdep's on kernels "
    "that have it. `contention` sums the waits by waiting code, by task (-t), by lock (-l) or by cgroup (-g; recorded "
    "with --all-cgroups). `report` sums them by lock, `info` lists the recorded tasks or locks, and `script` prints "
    "the recorded events.\n\n"
    "With a command, -a or -p, `contention` needs no recording: waits are summed in the kernel. For a command or a "
    "process, it also shows user-space locks: mutexes, read-write locks, semaphores and everything else that sleeps in "
    "futex(2).";
constexpr std::string_view kLockExamples[] = {
    "perf lock record -a -- sleep 1|lock waits on all CPUs for one second",
    "perf lock contention|callers that waited longest",
    "perf lock contention -x, --output locks.csv|the same for a spreadsheet",
    "perf lock contention -S path_openat|only waits while opening a file",
    "perf lock contention -t -E 5|the five tasks that waited longest",
    "perf lock contention -a -- sleep 1|live, without a recording",
    "perf lock contention -a -g -- sleep 1|live: the cgroups that waited longest",
    "perf lock contention -a -o -Y mutex -- sleep 1|live: the owners of mutexes that others waited for",
};

}  // namespace

constinit const Command kLock{.name = "lock",
                              .summary = "Show which locks threads wait for",
                              .usage = kLockUsage,
                              .options = kLockOptions,
                              .parts = kLockParts,
                              .words_at = Words::StopAtFirst,
                              .paging = Paging::ToTerminal,
                              .description = kLockDescription,
                              .examples = kLockExamples,
                              .run = run_part};

}  // namespace peregrine::cmd
