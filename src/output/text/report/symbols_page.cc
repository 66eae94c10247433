#include "output/text/report/symbols_page.h"

#include <cstddef>
#include <string_view>

#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

constexpr std::size_t kIdWidth = 40;
constexpr std::string_view kSymbolIndent = "            ";

std::string_view word_for(const SymbolSource& source) {
  if (source.miss != MissReason::None) return "tried";
  return source.gave == SymbolSet::Exported ? "exports" : "used";
}

void print_row(Sink& out, const SymbolsRow& row, u64 all_unnamed) {
  out.append("  ").decimal(row.samples, 8).append("  ").decimal(row.unnamed, 8);
  out.format("  {:6.2f}%  ", percent_of(row.unnamed, all_unnamed));
  out.left(row.build_id.empty() ? "-" : row.build_id, kIdWidth).append("  ").append(printable(row.dso)).append('\n');
  for (const SymbolSource& source : row.tried) {
    out.append(kSymbolIndent).left(word_for(source), 9).append(printable(source.path));
    if (source.miss != MissReason::None) out.append(": ").append(describe(source.miss));
    out.append('\n');
  }
  if (!row.why.empty()) out.append(kSymbolIndent).left("why", 9).append(printable(row.why)).append('\n');
  if (!row.remedy.empty()) out.append(kSymbolIndent).left("do", 9).append(printable(row.remedy)).append('\n');
}

}  // namespace

void print_symbols_page(Sink& out, std::span<const SymbolsRow> rows) {
  u64 samples = 0, unnamed = 0;
  for (const SymbolsRow& row : rows) {
    samples += row.samples;
    unnamed += row.unnamed;
  }
  out.format("# Samples: {}, without a name: {} ({:.2f}%)\n#\n", samples, unnamed, percent_of(unnamed, samples));
  out.format("# {:>8}  {:>8}  {:>7}  {:<{}}  {}\n", "Samples", "No name", "Share", "Build-id", kIdWidth, "Object");
  out.append("# ........  ........  .......  ").fill('.', kIdWidth).append("  ").fill('.', 16).append("\n#\n");
  for (const SymbolsRow& row : rows) print_row(out, row, unnamed);
}

}  // namespace peregrine
