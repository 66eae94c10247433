#include "output/text/kernel/guest_exits_text.h"

#include "base/percent.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

double us(u64 ns) { return static_cast<double>(ns) / 1e3; }

}  // namespace

void print_guest_rows(std::span<const GuestRow> rows, GuestEvent event, std::string_view scope, Sink& out) {
  constexpr std::string_view kTitles[] = {"VM-EXIT", "MMIO Access", "IO Port Access"};
  u64 count = 0, total = 0;
  for (const GuestRow& row : rows) {
    count += row.times.count();
    total += row.total;
  }
  out.format("\n\nAnalyze events for {}:\n\n", scope);
  out.format("{:>20} {:>10} {:>9} {:>9} {:>11} {:>11} {:>16} \n\n", kTitles[static_cast<std::size_t>(event)], "Samples",
             "Samples%", "Time%", "Min Time", "Max Time", "Avg time");
  for (const GuestRow& row : rows)
    out.format("{:>20} {:>10} {:>8.2f}% {:>8.2f}% {:>9.2f}us {:>9.2f}us {:>9.2f}us ( +-{:>7.2f}% )\n",
               printable(row.name), row.times.count(), percent_of(row.times.count(), count),
               percent_of(row.total, total), us(row.least), us(row.most), row.times.mean() / 1e3,
               row.times.error_percent());
  out.format("\nTotal Samples:{}, Total events handled time:{:.2f}us.\n\n", count, us(total));
}

}  // namespace peregrine
