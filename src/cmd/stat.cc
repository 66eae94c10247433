// stat: counts events over a command, processes, threads or CPUs, and shows the sums.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "base/fd.h"
#include "cmd/command_table.h"
#include "cmd/nearest_file.h"
#include "cmd/open_log.h"
#include "cmd/stat_options.h"
#include "cmd/stat_session.h"
#include "event/stat_config.h"
#include "output/csv/stat_csv.h"
#include "output/json/stat_json.h"
#include "output/text/stat_text.h"
#include "sys/memory.h"

namespace peregrine::cmd {

namespace {

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
    return usage(
        "The --per-thread option is only available when monitoring via -p -t -a options or only --per-thread.");
  if (is_by_cpu(request.aggregation) &&
      (has_threads || (!target.system_wide && target.cpus.empty() && !call.words.empty())))
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
      if (!since_start_ns && request_.interval_ms != 0 && !request_.no_csv_summary)
        style.first_field = "         summary";
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

}  // namespace

Result<int> run_stat(StatRequest& request, Invocation& call) {
  if (!call.words.empty() && (call.words[0] == "record" || call.words[0] == "report"))
    return fail(ErrorKind::Unsupported, "'stat {}' is not built yet", call.words[0]);
  PEREGRINE_TRY(check_consistency(request, call));
  auto destination = Destination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_plan(request, call);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const bool of_workload = plan->target.kind == TargetKind::Workload;
  OpenLog log(call.config, call.messages, request.verbose > 1);
  plan->on_open = log.listener();
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
  if (auto done = run_all(**session, request, on_interval, show_total); !done) {
    if (done.error().system_errno == ENOENT && !call.words.empty() && done.error().hint.empty())
      done.error().hint = nearest_program_hint(call.words.front(), call.config.variable("PATH").value_or(""));
    return std::unexpected(std::move(done.error()));
  }

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

}  // namespace peregrine::cmd
