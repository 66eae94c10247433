#include "cmd/stat/stat_printer.h"

#include <fcntl.h>
#include <unistd.h>

#include <ctime>

#include "analysis/stat/stat_cause.h"
#include "cli/frame/text_file.h"
#include "cli/frame/version.h"
#include "output/csv/metric_csv.h"
#include "output/csv/port_csv.h"
#include "output/csv/stat_csv.h"
#include "output/csv/value_csv.h"
#include "output/json/metric_json.h"
#include "output/json/port_json.h"
#include "output/json/stat_json.h"
#include "output/json/stat_lines.h"
#include "output/json/value_json.h"
#include "output/text/stat/metric_table.h"
#include "output/text/stat/port_text.h"
#include "output/text/stat/stat_text.h"
#include "output/text/stat/value_text.h"

namespace peregrine::cmd {

namespace {

std::string joined_by_blanks(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// How long events that share counters keep them.
double turn_ns(const Root& root) {
  constexpr double kUsual = 4;
  const auto ms = root.number("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms");
  return 1e6 * (ms && *ms > 0 ? static_cast<double>(*ms) : kUsual);
}

}  // namespace

Result<StatDestination> StatDestination::open(const StatRequest& request) {
  StatDestination to;
  to.fd_ = request.log_fd.value_or(STDERR_FILENO);
  if (request.log_fd && fcntl(to.fd_, F_GETFD) < 0) return fail_errno("Failed opening logfd");
  if (request.csv_safe && !request.separator) return fail(ErrorKind::Usage, "--csv-safe needs -x");
  if (request.output.empty() || request.recorded) return guard(std::move(to), request);
  // Counts tell nothing that is private, and scripts that run `sudo perf stat -o` read them without sudo.
  auto file = create_text_file(
      request.output, {.existing = request.append ? Existing::Append : Existing::Truncate, .mode = kSharedMode});
  if (!file && file.error().system_errno != 0)
    return fail_errno("failed to create output file", file.error().system_errno);
  if (!file) return std::unexpected(std::move(file.error()));
  to.file_ = std::move(*file);
  to.fd_ = to.file_.get();
  return guard(std::move(to), request);
}

Result<StatDestination> StatDestination::guard(StatDestination to, const StatRequest& request) {
  if (!request.csv_safe) return to;
  to.guarded_ = std::make_unique<Sink>(to.fd_);
  auto guard = CsvGuard::start({.separator = *request.separator == "\\t" ? "\t" : *request.separator}, *to.guarded_);
  if (!guard) return std::unexpected(std::move(guard.error()));
  to.guard_ = std::move(*guard);
  return to;
}

std::string describe_target(const StatRequest& request, const std::vector<std::string>& words) {
  const TargetRequest& target = request.target;
  if (!target.pids.empty()) return fmt::format("process id '{}'", target.pids);
  if (!target.tids.empty()) return fmt::format("thread id '{}'", target.tids);
  if (!target.cpus.empty()) return fmt::format("'CPU(s) {}'", target.cpus);
  if (target.system_wide) return "'system wide'";
  return fmt::format("'{}'", joined_by_blanks(words));
}

StatPrinter::StatPrinter(const StatRequest& request, const Config& config, std::string target, bool of_workload,
                         Sink& out)
    : request_(request), out_(out), target_(std::move(target)), of_workload_(of_workload) {
  if (request.separator) separator_ = *request.separator == "\\t" ? "\t" : *request.separator;
  if (request.big_numbers.value_or(true)) thousands_ = config.thousands_separator();
  color_ =
      request.output.empty() && !config.variable("NO_COLOR") && isatty(request.log_fd.value_or(STDERR_FILENO)) != 0;
}

void StatPrinter::start_time() {
  if (request_.json) return;  // which has no comments
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local);
  out_.append("# started on ").append(text).append("\n\n");
}

// Before the first of --json-lines.
void StatPrinter::start_lines() {
  if (!request_.json_lines || lines_started_) return;
  lines_started_ = true;
  const std::string creator = fmt::format("peregrine {}", kVersion);
  print_stat_start_line({.creator = creator, .target = target_, .interval_ns = u64{request_.interval_ms} * 1'000'000},
                        out_);
}

void StatPrinter::finish(const StatTable* table, const std::optional<WorkloadExit>& workload) {
  if (!request_.json_lines) return;
  start_lines();
  StatLinesEnd end;
  if (table != nullptr) {
    end.runs = table->runs();
    end.elapsed_ns = table->wall().mean();
  }
  if (workload && of_workload_) {
    end.user_ns = seconds(workload->usage.ru_utime) * 1e9;
    end.system_ns = seconds(workload->usage.ru_stime) * 1e9;
  }
  print_stat_end_line(end, out_);
}

void StatPrinter::interval(const StatTable& table, u64 since_start_ns) {
  start_lines();
  constexpr unsigned kRowsPerTitle = 25;
  if (request_.interval_clear && !request_.json) out_.append("\033[2J\033[1;1H");
  show_titles_ = intervals_++ % kRowsPerTitle == 0;
  if (is_text() && !metric_only() && !of_ports() && show_titles_ && !table.events().empty())
    print_stat_interval_title(table, out_);
  rows(table, since_start_ns);
  static_cast<void>(out_.flush());
}

void StatPrinter::total(const StatTable& table, const std::optional<WorkloadExit>& workload) {
  start_lines();
  if (request_.interval_ms != 0 && !request_.summary) return;
  if (is_text()) print_stat_title(target_, table.runs(), out_);
  show_titles_ = request_.interval_ms == 0 || is_text();
  rows(table, std::nullopt);
  if (!is_text()) return;
  StatFooter footer;
  footer.any_event = !table.events().empty();
  if (workload && of_workload_) {
    footer.user_s = seconds(workload->usage.ru_utime);
    footer.system_s = seconds(workload->usage.ru_stime);
  }
  if (!of_ports()) print_missing_metrics(table.rows(), table, out_);
  print_stat_footer(table, footer, {.thousands = {}, .interval_ns = {}, .show_run_table = request_.table}, out_);
}

void StatPrinter::causes(const StatTable& table, std::span<const int> errors, bool has_counters) {
  if (!is_text() || (request_.interval_ms != 0 && !request_.summary)) return;
  const std::vector<StatRow> rows = table.rows();
  std::vector<StatCause> causes = stat_causes(table, rows, errors, has_counters);
  if (auto estimate = stat_estimate(rows, table.events(), turn_ns(request_.sources.root())))
    causes.push_back(std::move(*estimate));
  for (const StatCause& cause : causes) {
    std::string names;
    for (const std::string& name : cause.events) names += (names.empty() ? "" : ", ") + name;
    out_.format(" {}: {}\n", names, cause.why);
    if (!cause.hint.empty()) out_.format("   {}\n", cause.hint);
  }
  if (!causes.empty()) out_.append('\n');
}

void StatPrinter::distributions(std::span<const ValueDistribution> distributions, std::optional<u64> since_start_ns) {
  start_lines();
  for (const ValueDistribution& distribution : distributions) {
    if (request_.json_lines)
      print_stat_distribution_line(distribution, since_start_ns, out_);
    else if (request_.json)
      print_value_json(distribution, out_, since_start_ns);
    else if (request_.separator)
      print_value_csv(distribution, separator_, out_, since_start_ns);
    else
      print_value_text(distribution, out_, since_start_ns);
  }
}

StatCsvStyle StatPrinter::csv_style(std::optional<u64> since_start_ns) const {
  StatCsvStyle style{
      .separator = separator_, .interval_ns = since_start_ns, .noise = request_.repeat != 1, .first_field = {}};
  if (!since_start_ns && request_.interval_ms != 0 && !request_.no_csv_summary) style.first_field = "         summary";
  return style;
}

// As in linux-perf the sums after -I have no titles of their own.
void StatPrinter::ports(const StatTable& table, std::optional<u64> since_start_ns) {
  std::vector<PortTraffic> traffic = port_traffic(table, request_.port.chosen);
  if (request_.hide_zeros) std::erase_if(traffic, &PortTraffic::is_idle);
  const bool titles = since_start_ns ? show_titles_ : request_.interval_ms == 0;
  if (request_.json_lines)
    print_stat_port_lines(traffic, since_start_ns, out_);
  else if (request_.json)
    print_port_json(traffic, {.interval_ns = since_start_ns}, out_);
  else if (request_.separator)
    print_port_csv(traffic, csv_style(since_start_ns), titles, out_);
  else
    print_port_text(traffic, {.interval_ns = since_start_ns, .show_titles = titles}, out_);
}

void StatPrinter::rows(const StatTable& table, std::optional<u64> since_start_ns) {
  if (of_ports()) return ports(table, since_start_ns);
  std::vector<StatRow> rows = table.rows();
  // Of all threads of the machine only those that counted something are worth a line.
  if (request_.aggregation == StatAggregation::Thread && request_.target.system_wide)
    std::erase_if(rows, [](const StatRow& row) { return row.count == 0; });
  if (request_.hide_zeros)
    std::erase_if(rows, [](const StatRow& row) { return row.state == StatState::Counted && row.count == 0; });
  if (request_.json_lines) {
    const auto print = metric_only() ? print_stat_metric_lines : print_stat_count_lines;
    print(table, rows, since_start_ns, out_);
  } else if (request_.json) {
    const auto print = metric_only() ? print_metric_json : print_stat_json;
    print(table, rows, {.interval_ns = since_start_ns, .noise = request_.repeat != 1}, out_);
  } else if (request_.separator) {
    const StatCsvStyle style = csv_style(since_start_ns);
    if (metric_only())
      print_metric_csv(table, rows, style, show_titles_, out_);
    else
      print_stat_csv(table, rows, style, out_);
  } else if (metric_only()) {
    print_metric_table(table, rows, {.interval_ns = since_start_ns, .show_titles = show_titles_, .color = color_},
                       out_);
  } else {
    print_stat_rows(table, rows, {.thousands = thousands_, .interval_ns = since_start_ns, .color = color_}, out_);
  }
}

}  // namespace peregrine::cmd
