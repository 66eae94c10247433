#include "session/counting/stat_printer.h"

#include <ctime>
#include <utility>

#include "analysis/stat/port_traffic.h"
#include "analysis/stat/stat_cause.h"
#include "base/types.h"
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
#include "sys/root.h"

namespace peregrine {

namespace {

double stat_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// How long an event keeps a shared counter at a time.
double turn_ns(const Root& root) {
  constexpr double kUsual = 4;
  const auto ms = root.number("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms");
  return 1e6 * (ms && *ms > 0 ? static_cast<double>(*ms) : kUsual);
}

}  // namespace

void StatPrinter::start_time() {
  if (style_.json) return;  // JSON has no comments
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local);
  out_.append("# started on ").append(text).append("\n\n");
}

// The first line of --json-lines.
void StatPrinter::start_lines() {
  if (!style_.json_lines || lines_started_) return;
  lines_started_ = true;
  print_stat_start_line(
      {.creator = style_.creator, .target = style_.subject, .interval_ns = u64{style_.interval_ms} * 1'000'000}, out_);
}

void StatPrinter::finish(const StatTable* table, const std::optional<WorkloadExit>& workload) {
  if (!style_.json_lines) return;
  start_lines();
  StatLinesEnd end;
  if (table != nullptr) {
    end.runs = table->runs();
    end.elapsed_ns = table->wall().mean();
  }
  if (workload && style_.of_workload) {
    end.user_ns = stat_seconds(workload->usage.ru_utime) * 1e9;
    end.system_ns = stat_seconds(workload->usage.ru_stime) * 1e9;
  }
  print_stat_end_line(end, out_);
}

void StatPrinter::interval(const StatTable& table, u64 since_start_ns) {
  start_lines();
  constexpr unsigned kRowsPerTitle = 25;
  if (style_.interval_clear && !style_.json) out_.append("\033[2J\033[1;1H");
  show_titles_ = intervals_++ % kRowsPerTitle == 0;
  if (is_text() && !style_.metric_only && !of_ports() && show_titles_ && !table.events().empty())
    print_stat_interval_title(table, out_);
  rows(table, since_start_ns);
  flush();
}

void StatPrinter::total(const StatTable& table, const std::optional<WorkloadExit>& workload) {
  start_lines();
  if (style_.interval_ms != 0 && !style_.summary) return;
  if (is_text()) print_stat_title(style_.subject, table.runs(), out_);
  show_titles_ = style_.interval_ms == 0 || is_text();
  rows(table, std::nullopt);
  if (!is_text()) return;
  StatFooter footer;
  footer.any_event = !table.events().empty();
  if (workload && style_.of_workload) {
    footer.user_s = stat_seconds(workload->usage.ru_utime);
    footer.system_s = stat_seconds(workload->usage.ru_stime);
  }
  if (!of_ports()) print_missing_metrics(table.rows(), table, out_);
  print_stat_footer(table, footer, {.thousands = {}, .interval_ns = {}, .show_run_table = style_.run_table}, out_);
}

void StatPrinter::causes(const StatTable& table, std::span<const int> errors, EventSources& sources) {
  if (!is_text() || (style_.interval_ms != 0 && !style_.summary)) return;
  const std::vector<StatRow> rows = table.rows();
  std::vector<StatCause> causes = stat_causes(table, rows, errors, !sources.core_pmus().empty());
  if (auto estimate = stat_estimate(rows, table.events(), turn_ns(sources.root())))
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
    if (style_.json_lines)
      print_stat_distribution_line(distribution, since_start_ns, out_);
    else if (style_.json)
      print_value_json(distribution, out_, since_start_ns);
    else if (style_.separator)
      print_value_csv(distribution, *style_.separator, out_, since_start_ns);
    else
      print_value_text(distribution, out_, since_start_ns);
  }
}

StatCsvStyle StatPrinter::csv_style(std::optional<u64> since_start_ns) const {
  StatCsvStyle style{
      .separator = *style_.separator, .interval_ns = since_start_ns, .noise = style_.noise, .first_field = {}};
  if (!since_start_ns && style_.interval_ms != 0 && !style_.no_csv_summary) style.first_field = "         summary";
  return style;
}

// As in linux-perf, the sums after -I have no titles.
void StatPrinter::ports(const StatTable& table, std::optional<u64> since_start_ns) {
  std::vector<PortTraffic> traffic = port_traffic(table, style_.ports);
  if (style_.hide_zeros) std::erase_if(traffic, &PortTraffic::is_idle);
  const bool titles = since_start_ns ? show_titles_ : style_.interval_ms == 0;
  if (style_.json_lines)
    print_stat_port_lines(traffic, since_start_ns, out_);
  else if (style_.json)
    print_port_json(traffic, {.interval_ns = since_start_ns}, out_);
  else if (style_.separator)
    print_port_csv(traffic, csv_style(since_start_ns), titles, out_);
  else
    print_port_text(traffic, {.interval_ns = since_start_ns, .show_titles = titles}, out_);
}

void StatPrinter::rows(const StatTable& table, std::optional<u64> since_start_ns) {
  if (of_ports()) return ports(table, since_start_ns);
  std::vector<StatRow> rows = table.rows();
  if (style_.hides_idle) std::erase_if(rows, [](const StatRow& row) { return row.count == 0; });
  if (style_.hide_zeros)
    std::erase_if(rows, [](const StatRow& row) { return row.state == StatState::Counted && row.count == 0; });
  if (style_.json_lines) {
    const auto print = style_.metric_only ? print_stat_metric_lines : print_stat_count_lines;
    print(table, rows, since_start_ns, out_);
  } else if (style_.json) {
    const auto print = style_.metric_only ? print_metric_json : print_stat_json;
    print(table, rows, {.interval_ns = since_start_ns, .noise = style_.noise}, out_);
  } else if (style_.separator) {
    const StatCsvStyle style = csv_style(since_start_ns);
    if (style_.metric_only)
      print_metric_csv(table, rows, style, show_titles_, out_);
    else
      print_stat_csv(table, rows, style, out_);
  } else if (style_.metric_only) {
    print_metric_table(table, rows, {.interval_ns = since_start_ns, .show_titles = show_titles_, .color = style_.color},
                       out_);
  } else {
    print_stat_rows(table, rows, {.thousands = style_.thousands, .interval_ns = since_start_ns, .color = style_.color},
                    out_);
  }
}

}  // namespace peregrine
