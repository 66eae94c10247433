#include "output/text/kernel/kernel_work_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"

namespace peregrine {

namespace {

constexpr std::size_t kWorkRuler = 128, kWorkName = 30;

std::string name_text(const WorkRow& row) {
  const std::string name = printable(row.name);
  if (row.kind == WorkKind::Workqueue) return "(w)" + name;
  return fmt::format("{}{}:{}", row.kind == WorkKind::Softirq ? "(s)" : "", name, row.id);
}

void work_ruler(Sink& out) { append_ruler(out, '-', kWorkRuler, " "); }

TextTable sums_table(bool delays) {
  const std::string longest = delays ? "Max delay" : "Max runtime";
  const auto column = [](std::string title, std::size_t width) {
    return TextColumn{.title = std::move(title), .width = width, .before = " | ", .title_align = Align::Left};
  };
  return TextTable({{.title = "Kwork Name", .width = kWorkName, .align = Align::Left},
                    column("Cpu", 4),
                    column(delays ? "Avg delay" : "Total Runtime", 13),
                    column("Count", 9),
                    column(longest, 13),
                    column(longest + " start", 19),
                    column(longest + " end", 19),
                    {.before = " |"}});
}

TextTable runs_table() {
  const auto column = [](std::string group, std::string title, std::size_t width, Align align = Align::Right) {
    return TextColumn{.title = std::move(title),
                      .width = width,
                      .align = align,
                      .title_align = Align::Left,
                      .group = std::move(group)};
  };
  std::vector<TextColumn> columns = {column("Runtime start", "", 17),
                                     column("Runtime end", "", 17),
                                     column("Cpu", "", 6),
                                     column("Kwork name", "(TYPE)NAME:NUM", kWorkName, Align::Left),
                                     column("Runtime", "(msec)", 10),
                                     column("Delaytime", "(msec)", 10)};
  columns.front().before = " ";
  return TextTable(std::move(columns));
}

void print_totals(const std::vector<WorkRow>& rows, u64 span, Sink& out) {
  u64 count = 0, total = 0;
  for (const WorkRow& row : rows) {
    count += row.count;
    total += row.total;
  }
  out.format("  Total count            : {:9}\n", count);
  out.format("  Total runtime   (msec) : {:9.3f} ({:.3f}% load average)\n", milliseconds(total),
             percent_of(total, span));
  out.format("  Total time span (msec) : {:9.3f}\n", milliseconds(span));
  work_ruler(out);
}

}  // namespace

void print_work_rows(const WorkSummary& work, const WorkTable& table, Sink& out) {
  const bool delays = table.sum == KernelWork::Sum::Delays;
  const TextTable printer = sums_table(delays);
  printer.titles(out.append('\n'));
  work_ruler(out);
  for (const WorkRow& row : work.rows) {
    printer.row(out, {name_text(row), fmt::format("{:04}", row.cpu),
                      fmt::format("{:.3f} ms", milliseconds(delays ? row.average() : row.total)),
                      fmt::format("{}", row.count), fmt::format("{:.3f} ms", milliseconds(row.most)),
                      seconds_text(row.most_from) + " s", seconds_text(row.most_until) + " s", ""});
  }
  work_ruler(out);
  if (table.totals) print_totals(work.rows, work.span, out);
  const auto [raises, entries, exits] = work.unpaired;
  const u64 all = raises + entries + exits;
  if (all != 0)
    out.format("  INFO: {:.3f}% skipped events ({} including {} raise, {} entry, {} exit)\n",
               percent_of(all, work.events), all, raises, entries, exits);
  out.append('\n');
}

WorkRunText::WorkRunText(Sink& out) : out_(out), table_(runs_table()) {}

void WorkRunText::print_titles() {
  table_.titles(out_);
  table_.ruler(out_, '-');
}

void WorkRunText::print(const WorkRow& row, const WorkRun& run) {
  const std::string delay = run.raised ? fmt::format("{:.3f}", milliseconds(run.from - *run.raised)) : std::string();
  table_.cells(out_, {seconds_text(run.from), seconds_text(run.until), fmt::format("[{:04}]", row.cpu), name_text(row),
                      fmt::format("{:.3f}", milliseconds(run.until - run.from)), delay});
  out_.append(' ');
  for (std::size_t i = 0; i < run.chain.size(); ++i)
    out_.append(i == 0 ? "  " : " <- ").append(printable(run.chain[i]));
  out_.append('\n');
}

}  // namespace peregrine
