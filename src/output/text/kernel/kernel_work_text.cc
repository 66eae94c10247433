#include "output/text/kernel/kernel_work_text.h"

#include "base/percent.h"
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

void work_ruler(Sink& out) { out.append(' ').fill('-', kWorkRuler).append('\n'); }

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
  out.append('\n');
  out.append(delays ? "  Kwork Name                     | Cpu  | Avg delay     | Count     | Max delay     | Max delay "
                      "start     | Max delay end       |\n"
                    : "  Kwork Name                     | Cpu  | Total Runtime | Count     | Max runtime   | Max "
                      "runtime start   | Max runtime end     |\n");
  work_ruler(out);
  for (const WorkRow& row : work.rows) {
    out.append("  ").left(name_text(row), kWorkName);
    out.format(" | {:04} | {:10.3f} ms | {:9} | {:10.3f} ms | {:>17} s | {:>17} s |\n", row.cpu,
               milliseconds(delays ? row.average() : row.total), row.count, milliseconds(row.most),
               seconds_text(row.most_from), seconds_text(row.most_until));
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

void print_work_titles(Sink& out) {
  out.append(
      " Runtime start      Runtime end        Cpu     Kwork name                      Runtime     Delaytime \n"
      "                                               (TYPE)NAME:NUM                  (msec)      (msec)    \n"
      " -----------------  -----------------  ------  ------------------------------  ----------  ----------\n");
}

void print_work_run(const WorkRow& row, const WorkRun& run, Sink& out) {
  out.format(" {:>17}  {:>17}  [{:04}]  ", seconds_text(run.from), seconds_text(run.until), row.cpu);
  out.left(name_text(row), kWorkName).format("  {:10.3f}  ", milliseconds(run.until - run.from));
  if (run.raised)
    out.format("{:10.3f} ", milliseconds(run.from - *run.raised));
  else
    out.fill(' ', 11);
  for (std::size_t i = 0; i < run.chain.size(); ++i) out.append(i == 0 ? "  " : " <- ").append(printable(run.chain[i]));
  out.append('\n');
}

}  // namespace peregrine
