#include "output/text/kernel/guest_exits_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

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
  const TextTable printer({{.title = std::string(kTitles[static_cast<std::size_t>(event)]), .width = 20, .before = ""},
                           {.title = "Samples", .width = 10, .before = " "},
                           {.title = "Samples%", .width = 9, .before = " "},
                           {.title = "Time%", .width = 9, .before = " "},
                           {.title = "Min Time", .width = 11, .before = " "},
                           {.title = "Max Time", .width = 11, .before = " "},
                           {.title = "Avg time ", .width = 17, .before = " "}});
  printer.titles(out);
  out.append('\n');
  for (const GuestRow& row : rows)
    printer.row(out, {printable(row.name), fmt::format("{}", row.times.count()),
                      fmt::format("{:.2f}%", percent_of(row.times.count(), count)),
                      fmt::format("{:.2f}%", percent_of(row.total, total)), fmt::format("{:.2f}us", us(row.least)),
                      fmt::format("{:.2f}us", us(row.most)),
                      fmt::format("{:9.2f}us ( +-{:7.2f}% )", row.times.mean() / 1e3, row.times.error_percent())});
  out.format("\nTotal Samples:{}, Total events handled time:{:.2f}us.\n\n", count, us(total));
}

}  // namespace peregrine
