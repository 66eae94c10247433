// stat: counts events over a command, processes, threads or CPUs, and shows the sums.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "base/fd.h"
#include "cmd/command_table.h"
#include "cmd/stat_session.h"
#include "event/parse.h"
#include "event/stat_config.h"
#include "output/csv/stat_csv.h"
#include "output/json/stat_json.h"
#include "output/text/stat_text.h"
#include "sys/memory.h"

namespace peregrine::cmd {

namespace {

struct StatRequest {
  EventSources sources;
  EventList events;
  std::size_t last_word = 0;  // where the events of the last -e begin
  TargetRequest target;
  int detail = 0, verbose = 0;
  bool null_run = false, group = false, inherit = true, scale = true, sync = false, table = false;
  bool all_user = false, all_kernel = false;
  std::optional<bool> big_numbers;
  unsigned repeat = 1;
  StatAggregation aggregation = StatAggregation::Global;
  unsigned interval_ms = 0, interval_count = 0, timeout_ms = 0;
  i64 delay_ms = 0;
  bool summary = false, no_csv_summary = false, interval_clear = false;
  std::optional<std::string> separator;
  bool json = false, quiet = false, append = false;
  std::string output, before, after;
  std::optional<int> log_fd;
};

Result<> add_events(StatRequest& request, const Use& use) {
  if (use.negated) {
    request.events.clear();
    return {};
  }
  request.last_word = request.events.size();
  return parse_events(use.value, request.sources, request.events);
}

Result<> add_filter(StatRequest& request, const Use& use) {
  return set_filter(request.events, request.last_word, use.value);
}

Result<> set_interval(StatRequest& request, const Use& use) {
  auto interval = store_detail::number<unsigned>(use);
  if (!interval) return std::unexpected(std::move(interval.error()));
  if (*interval == 0) return fail(ErrorKind::Usage, "print interval must be >= 1ms");
  request.interval_ms = *interval;
  return {};
}

template <StatAggregation kAggregation>
constexpr Store kAggregateBy = assign<&StatRequest::aggregation, kAggregation>;

constexpr Option kOptions[] = {
    {.name = "transaction", .letter = 'T', .help = "hardware transaction statistics"},
    {.name = "event", .letter = 'e', .value = Value::Required, .metavar = "event",
     .help = "event selector. use 'perf list' to list available events", .store = call<add_events>},
    {.name = "filter", .value = Value::Required, .metavar = "filter", .help = "event filter", .store = call<add_filter>},
    {.name = "no-inherit", .letter = 'i', .help = "child tasks do not inherit counters",
     .store = assign<&StatRequest::inherit, false>},
    {.name = "pid", .letter = 'p', .value = Value::Required, .metavar = "pid", .help = "stat events on existing process id",
     .store = set<&StatRequest::target, &TargetRequest::pids>},
    {.name = "tid", .letter = 't', .value = Value::Required, .metavar = "tid", .help = "stat events on existing thread id",
     .store = set<&StatRequest::target, &TargetRequest::tids>},
    {.name = "all-cpus", .letter = 'a', .help = "system-wide collection from all CPUs",
     .store = set<&StatRequest::target, &TargetRequest::system_wide>},
    {.name = "group", .letter = 'g', .help = "put the counters into a counter group", .store = set<&StatRequest::group>},
    {.name = "scale", .help = "Use --no-scale to disable counter scaling for multiplexing", .store = set<&StatRequest::scale>},
    {.name = "verbose", .letter = 'v', .help = "be more verbose (show counter open errors, etc)",
     .store = count<&StatRequest::verbose>},
    {.name = "repeat", .letter = 'r', .value = Value::Required, .metavar = "n",
     .help = "repeat command and print average + stddev (max: 100, forever: 0)", .store = set<&StatRequest::repeat>},
    {.name = "table", .help = "display details about each run (only with -r option)", .store = set<&StatRequest::table>},
    {.name = "null", .letter = 'n', .help = "null run - dont start any counters", .store = set<&StatRequest::null_run>},
    {.name = "detailed", .letter = 'd', .help = "detailed run - start a lot of events", .store = count<&StatRequest::detail>},
    {.name = "sync", .letter = 'S', .help = "call sync() before starting a run", .store = set<&StatRequest::sync>},
    {.name = "big-num", .letter = 'B', .help = "print large numbers with thousands' separators",
     .store = set<&StatRequest::big_numbers>},
    {.name = "cpu", .letter = 'C', .value = Value::Required, .metavar = "cpu",
     .help = "list of cpus to monitor in system-wide", .store = set<&StatRequest::target, &TargetRequest::cpus>},
    {.name = "no-aggr", .letter = 'A', .help = "disable CPU count aggregation", .store = kAggregateBy<StatAggregation::Cpu>},
    {.name = "no-merge", .help = "Do not merge identical named events"},
    {.name = "hybrid-merge", .help = "Merge identical named hybrid events"},
    {.name = "field-separator", .letter = 'x', .value = Value::Required, .metavar = "separator",
     .help = "print counts with custom separator", .store = set<&StatRequest::separator>},
    {.name = "json-output", .letter = 'j', .help = "print counts in JSON format", .store = set<&StatRequest::json>},
    {.name = "cgroup", .letter = 'G', .value = Value::Required, .metavar = "name", .help = "monitor event in cgroup name only"},
    {.name = "for-each-cgroup", .value = Value::Required, .metavar = "name", .help = "expand events for each cgroup"},
    {.name = "output", .letter = 'o', .value = Value::Required, .metavar = "file", .help = "output file name",
     .store = set<&StatRequest::output>},
    {.name = "append", .help = "append to the output file", .store = set<&StatRequest::append>},
    {.name = "log-fd", .value = Value::Required, .metavar = "n", .help = "log output to fd, instead of stderr",
     .store = set<&StatRequest::log_fd>},
    {.name = "pre", .value = Value::Required, .metavar = "command", .help = "command to run prior to the measured command",
     .store = set<&StatRequest::before>},
    {.name = "post", .value = Value::Required, .metavar = "command", .help = "command to run after to the measured command",
     .store = set<&StatRequest::after>},
    {.name = "interval-print", .letter = 'I', .value = Value::Required, .metavar = "n",
     .help = "print counts at regular interval in ms (overhead is possible for values <= 100ms)", .store = call<set_interval>},
    {.name = "interval-count", .value = Value::Required, .metavar = "n", .help = "print counts for fixed number of times",
     .store = set<&StatRequest::interval_count>},
    {.name = "interval-clear", .help = "clear screen in between new interval", .store = set<&StatRequest::interval_clear>},
    {.name = "timeout", .value = Value::Required, .metavar = "n",
     .help = "stop workload and print counts after a timeout period in ms (>= 10ms)", .store = set<&StatRequest::timeout_ms>},
    {.name = "per-socket", .help = "aggregate counts per processor socket", .store = kAggregateBy<StatAggregation::Socket>},
    {.name = "per-die", .help = "aggregate counts per processor die", .store = kAggregateBy<StatAggregation::Die>},
    {.name = "per-core", .help = "aggregate counts per physical processor core", .store = kAggregateBy<StatAggregation::Core>},
    {.name = "per-thread", .help = "aggregate counts per thread", .store = kAggregateBy<StatAggregation::Thread>},
    {.name = "per-node", .help = "aggregate counts per numa node", .store = kAggregateBy<StatAggregation::Node>},
    {.name = "delay", .letter = 'D', .value = Value::Required, .metavar = "n",
     .help = "ms to wait before starting measurement after program start (-1: start with events disabled)",
     .store = set<&StatRequest::delay_ms>},
    {.name = "metric-only", .help = "Only print computed metrics. No raw values"},
    {.name = "metric-no-group", .help = "don't group metric events, impacts multiplexing"},
    {.name = "metric-no-merge", .help = "don't try to share events between metrics in a group"},
    {.name = "topdown", .help = "measure top-down statistics"},
    {.name = "td-level", .value = Value::Required, .metavar = "n",
     .help = "Set the metrics level for the top-down statistics (0: max level)"},
    {.name = "smi-cost", .help = "measure SMI cost"},
    {.name = "metrics", .letter = 'M', .value = Value::Required, .metavar = "metric/metric group list",
     .help = "monitor specified metrics or metric groups (separated by ,)"},
    {.name = "all-kernel", .help = "Configure all used events to run in kernel space.", .store = set<&StatRequest::all_kernel>},
    {.name = "all-user", .help = "Configure all used events to run in user space.", .store = set<&StatRequest::all_user>},
    {.name = "percore-show-thread",
     .help = "Use with 'percore' event qualifier to show the event counts of one hardware thread by sum up total hardware "
             "threads of same physical core"},
    {.name = "summary", .help = "print summary for interval mode", .store = set<&StatRequest::summary>},
    {.name = "no-csv-summary", .help = "don't print 'summary' for CSV summary output",
     .store = set<&StatRequest::no_csv_summary>},
    {.name = "quiet", .help = "don't print any output, messages or warnings (useful with record)",
     .store = set<&StatRequest::quiet>},
    {.name = "cputype", .value = Value::Required, .metavar = "hybrid cpu type",
     .help = "Only enable events on applying cpu with this type for hybrid platform (e.g. core or atom)"},
    {.name = "control", .value = Value::Required, .metavar = "fd:ctl-fd[,ack-fd] or fifo:ctl-fifo[,ack-fifo]",
     .help = "Listen on ctl-fd descriptor for command to control measurement ('enable': enable events, 'disable': disable "
             "events).\n\t\t\t  Optionally send control command completion ('ack\\n') to ack-fd descriptor.\n\t\t\t  "
             "Alternatively, ctl-fifo / ack-fifo will be opened and used as ctl-fd / ack-fd."},
    {.name = "iostat", .value = Value::Sticky, .metavar = "default",
     .help = "measure I/O performance metrics provided by arch/platform", .implied = "default"},
};
constexpr std::string_view kUsage[] = {"[<options>] [<command>]"};
constexpr std::string_view kExamples[] = {
    "perf stat make|what a command costs",
    "perf stat -r 5 -e task-clock,page-faults ./program|five runs, with the spread of each count",
    "perf stat -a -I 1000|the whole machine, once a second",
    "perf stat -x, -o counts.csv ./program|for a program to read",
};

bool is_by_cpu(StatAggregation aggregation) {
  return aggregation != StatAggregation::Global && aggregation != StatAggregation::Thread;
}

Result<> check_consistency(const StatRequest& request, const Invocation& call) {
  const TargetRequest& target = request.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  auto usage = [](std::string_view what) { return fail(ErrorKind::Usage, "{}", what); };
  if (request.separator && request.big_numbers.value_or(false)) return usage("-B option not supported with -x");
  if (!request.output.empty() && request.log_fd) return usage("cannot use both --output and --log-fd");
  if (request.interval_count != 0 && request.interval_ms == 0)
    return usage("interval-count option should be used together with interval-print.");
  if (request.timeout_ms != 0 && request.timeout_ms < 10) return usage("timeout must be >= 10ms.");
  if (request.timeout_ms != 0 && request.interval_ms != 0)
    return usage("timeout option is not supported with interval-print.");
  if (request.table && request.repeat <= 1) return usage("--table is only supported with -r");
  if (request.aggregation == StatAggregation::Thread && !has_threads && !target.system_wide && !call.words.empty())
    return usage("The --per-thread option is only available when monitoring via -p -t -a options or only --per-thread.");
  if (is_by_cpu(request.aggregation) && (has_threads || (!target.system_wide && target.cpus.empty() && !call.words.empty())))
    return usage("both cgroup and no-aggregation modes only available in system-wide mode");
  return {};
}

// Whom to observe; without any choice and without a command: the whole machine.
Result<Target> choose_target(StatRequest& request, const Invocation& call) {
  TargetRequest& target = request.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  if (has_threads && !target.cpus.empty()) call.messages.verbatim("PID/TID switch overriding CPU\n");
  if (has_threads && target.system_wide) call.messages.verbatim("PID/TID switch overriding SYSTEM\n");
  if (has_threads) {
    target.cpus.clear();
    target.system_wide = false;
  } else if (call.words.empty() && target.cpus.empty()) {
    target.system_wide = true;
  }
  const Root& root = request.sources.root();
  auto made = make_target(root, target);
  if (!made) return made;
  if (request.aggregation == StatAggregation::Thread && made->kind == TargetKind::Cpus) {
    made->kind = TargetKind::Threads;
    made->threads.clear();
    for (const Pid process : all_processes(root))
      for (const Pid thread : threads_of(root, process)) made->threads.push_back(thread);
  }
  return made;
}

std::vector<StatPlace> choose_places(const StatRequest& request, const Target& target) {
  const Root& root = request.sources.root();
  std::vector<StatPlace> places;
  if (request.aggregation == StatAggregation::Global) return {StatPlace{}};
  if (request.aggregation == StatAggregation::Thread) {
    for (const Pid thread : target.threads) {
      const std::string comm = comm_of(root, thread).value_or("");
      const std::string label = fmt::format("{}-{}", comm, thread);
      places.push_back({.label = label, .name = label, .cpus = {}, .thread = thread, .comm = comm});
    }
    return places;
  }
  std::vector<CpuList> nodes;
  for (const NumaNode& node : numa_nodes(root)) {
    if (nodes.size() <= node.id) nodes.resize(node.id + std::size_t{1});
    nodes[node.id] = parse_cpu_list(node.cpus).value_or(CpuList{});
  }
  return cpu_places(request.aggregation, target.cpus, cpu_topology(root), nodes);
}

Result<StatPlan> make_plan(StatRequest& request, const Invocation& call) {
  auto target = choose_target(request, call);
  if (!target) return std::unexpected(std::move(target.error()));
  StatPlan plan;
  plan.target = std::move(*target);
  plan.command = call.words;
  plan.limits = perf_limits(request.sources.root());
  plan.aggregation = request.aggregation;
  plan.places = choose_places(request, plan.target);
  plan.scale = request.scale;
  plan.delay_ms = request.delay_ms;
  plan.interval_ms = request.interval_ms;
  plan.interval_count = request.interval_count;
  plan.timeout_ms = request.timeout_ms;
  plan.verbose = request.verbose > 0;
  if (!request.null_run) {
    plan.events = request.events;
    add_stat_events(request.sources, plan.target.kind == TargetKind::Cpus, request.detail, plan.events);
  }
  peregrine::StatOptions options;
  options.workload = plan.target.kind == TargetKind::Workload;
  options.initial_delay_ms = request.delay_ms;
  options.inherit = request.inherit;
  options.all_user = request.all_user;
  options.all_kernel = request.all_kernel;
  options.group = request.group;
  PEREGRINE_TRY(configure_for_stat(options, plan.events));
  return plan;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// "'true'", "'system wide'", "process id '1'": what the title says is counted.
std::string describe_target(const StatRequest& request, const Invocation& call) {
  const TargetRequest& target = request.target;
  if (!target.pids.empty()) return fmt::format("process id '{}'", target.pids);
  if (!target.tids.empty()) return fmt::format("thread id '{}'", target.tids);
  if (!target.cpus.empty()) return fmt::format("'CPU(s) {}'", target.cpus);
  if (target.system_wide) return "'system wide'";
  return fmt::format("'{}'", joined(call.words));
}

// Where counts go: stderr, a file, or a descriptor that was handed to us.
class Destination {
 public:
  static Result<Destination> open(const StatRequest& request) {
    Destination to;
    to.fd_ = request.log_fd.value_or(STDERR_FILENO);
    if (request.log_fd && fcntl(to.fd_, F_GETFD) < 0) return fail_errno("Failed opening logfd");
    if (request.output.empty()) return to;
    auto file = open_file(request.output, O_WRONLY | O_CREAT | (request.append ? O_APPEND : O_TRUNC), 0666);
    if (!file) return fail_errno("failed to create output file", file.error().system_errno);
    to.file_ = std::move(*file);
    to.fd_ = to.file_.get();
    return to;
  }
  int fd() const { return fd_; }
  bool is_file() const { return static_cast<bool>(file_); }

 private:
  Fd file_;
  int fd_ = STDERR_FILENO;
};

void print_start_time(Sink& out) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local);
  out.append("# started on ").append(text).append("\n\n");
}

// Prints tables in the form that was asked for.
class Printer {
 public:
  Printer(const StatRequest& request, const Invocation& call, Sink& out)
      : request_(request), out_(out), target_(describe_target(request, call)) {
    if (request.separator) separator_ = *request.separator == "\\t" ? "\t" : *request.separator;
    if (request.big_numbers.value_or(true)) thousands_ = call.config.thousands_separator();
  }

  void interval(const StatTable& table, u64 since_start_ns) {
    constexpr unsigned kRowsPerTitle = 25;
    if (request_.interval_clear) out_.append("\033[2J\033[1;1H");
    if (is_text() && intervals_++ % kRowsPerTitle == 0) print_stat_interval_title(table, out_);
    rows(table, since_start_ns);
    static_cast<void>(out_.flush());
  }

  void total(const StatTable& table, const std::optional<WorkloadExit>& workload) {
    if (request_.interval_ms != 0 && !request_.summary) return;
    if (is_text()) print_stat_title(target_, table.runs(), out_);
    rows(table, std::nullopt);
    if (!is_text()) return;
    StatFooter footer;
    footer.any_event = !table.events().empty();
    if (workload && target_ == describe_workload_) {
      footer.user_s = seconds(workload->usage.ru_utime);
      footer.system_s = seconds(workload->usage.ru_stime);
    }
    print_stat_footer(table, footer, {.thousands = {}, .interval_ns = {}, .show_run_table = request_.table}, out_);
  }

  void set_workload(std::string description) { describe_workload_ = std::move(description); }

 private:
  bool is_text() const { return !request_.separator && !request_.json; }
  static double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  }

  void rows(const StatTable& table, std::optional<u64> since_start_ns) {
    std::vector<StatRow> rows = table.rows();
    // Of all threads of the machine only those that counted something are worth a line.
    if (request_.aggregation == StatAggregation::Thread && request_.target.system_wide)
      std::erase_if(rows, [](const StatRow& row) { return row.count == 0; });
    const bool noise = request_.repeat != 1;
    if (request_.json) {
      print_stat_json(table, rows, {.interval_ns = since_start_ns, .noise = noise}, out_);
    } else if (request_.separator) {
      StatCsvStyle style{.separator = separator_, .interval_ns = since_start_ns, .noise = noise, .first_field = {}};
      if (!since_start_ns && request_.interval_ms != 0 && !request_.no_csv_summary) style.first_field = "         summary";
      print_stat_csv(table, rows, style, out_);
    } else {
      print_stat_rows(table, rows, {.thousands = thousands_, .interval_ns = since_start_ns}, out_);
    }
  }

  const StatRequest& request_;
  Sink& out_;
  std::string target_, describe_workload_, separator_, thousands_;
  unsigned intervals_ = 0;
};

Result<> run_shell(const std::string& command) {
  if (command.empty()) return {};
  const int status = std::system(command.c_str());
  if (status != 0) return fail(ErrorKind::System, "the command '{}' failed", command);
  return {};
}

Result<> run_all(StatSession& session, const StatRequest& request, const StatSession::OnInterval& on_interval,
                 const std::function<void()>& after_each) {
  for (unsigned run = 0; request.repeat == 0 || run < request.repeat; ++run) {
    PEREGRINE_TRY(run_shell(request.before));
    if (request.sync) sync();
    PEREGRINE_TRY(session.run(on_interval));
    PEREGRINE_TRY(run_shell(request.after));
    if (request.repeat == 0) after_each();
    if (session.ended_by() != 0) break;
  }
  return {};
}

// Ends as the signal would have ended us, so that a shell loop around us stops too.
int leave(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  return 128 + signal_number;
}

Result<int> stat(StatRequest& request, Invocation& call) {
  PEREGRINE_TRY(check_consistency(request, call));
  auto destination = Destination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_plan(request, call);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const bool of_workload = plan->target.kind == TargetKind::Workload;
  auto session = StatSession::open(std::move(*plan), call.messages);
  if (!session) return std::unexpected(std::move(session.error()));

  Sink out(destination->fd());
  if (destination->is_file()) print_start_time(out);
  Printer printer(request, call, out);
  if (of_workload) printer.set_workload(describe_target(request, call));
  auto on_interval = [&](const StatTable& table, u64 since_start_ns) {
    if (!request.quiet) printer.interval(table, since_start_ns);
  };
  auto show_total = [&] {
    const StatTable* total = (*session)->total();
    if (total != nullptr && !request.quiet) printer.total(*total, (*session)->workload());
    static_cast<void>(out.flush());
  };
  PEREGRINE_TRY(run_all(**session, request, on_interval, show_total));

  const std::optional<WorkloadExit> workload = (*session)->workload();
  const int ended_by = (*session)->ended_by();
  const bool cut_short = request.interval_count != 0;  // ended by us, as asked
  if (workload && workload->signal() != 0 && !cut_short)
    call.messages.verbatim(fmt::format("{}: {}\n", call.words.front(), strsignal(workload->signal())));
  if (request.repeat != 0) show_total();
  session->reset();
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  if (ended_by != 0) return leave(ended_by);
  return workload && workload->exited() ? workload->code() : 0;
}

}  // namespace

constinit const Command kStat{
    .name = "stat",
    .summary = "Run a command and gather performance counter statistics",
    .usage = kUsage,
    .options = kOptions,
    .words_at = Words::StopAtFirst,
    .description = "Counts events while a command runs, or over processes (-p), threads (-t) or CPUs (-a, -C), and shows the "
                   "sums with rates beside them. Counters that had to share the hardware are scaled up, and the share of "
                   "time they ran stands behind them in parentheses.\n\n"
                   "An event the machine does not have is shown as <not supported>, one that never ran as <not counted>.",
    .examples = kExamples,
    .run = entry<StatRequest, stat>};

}  // namespace peregrine::cmd
