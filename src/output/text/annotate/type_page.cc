#include "output/text/annotate/type_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/data_type/data_access.h"
#include "analysis/data_type/data_type_table.h"
#include "base/percent.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

constexpr std::size_t kTypeIndent = 4, kTypeNumber = 10;

std::string cell(const EventHits& event, const LayoutRow& row, const Hits& recording, const AnnotateStyle& style) {
  const Hits hits = event.between(row.offset, row.offset + row.size);
  if (style.column == AnnotateColumn::Samples) return fmt::format("{:>9}", hits.samples);
  if (style.column == AnnotateColumn::Period) return fmt::format("{:>14}", hits.period);
  return fmt::format("{:>9.2f}", percent(hits, event.total, recording, style.type));
}

// Formats "struct node {" or "char name[20];".
std::string declaration(const LayoutRow& row) {
  std::string text(row.depth * kTypeIndent, ' ');
  text += row.type;
  if (!row.name.empty()) text += ' ' + row.name;
  return text + (row.opens ? " {" : row.depth == 0 ? "" : ";");
}

void close_to(unsigned depth, std::vector<unsigned>& open, std::size_t numbers, Sink& out) {
  while (!open.empty() && open.back() >= depth) {
    out.fill(' ', numbers + open.back() * kTypeIndent).append(open.back() == 0 ? "}\n" : "};\n");
    open.pop_back();
  }
}

}  // namespace

void print_type_page(Sink& out, const TypePage& page, const AnnotateStyle& style) {
  u64 samples = 0;
  for (const u32 event : page.events) samples += page.hits.events[event].total.samples;
  out.format("Data type {} ({}): {} of {}\n", printable(page.hits.name), counted(page.hits.size, "byte"),
             counted(samples, "sample"), printable(page.event));
  const std::size_t wide = style.column == AnnotateColumn::Period ? 14 : 9;
  const std::string_view title = style.column == AnnotateColumn::Samples  ? "Samples"
                                 : style.column == AnnotateColumn::Period ? "Period"
                                                                          : "Percent";
  for (std::size_t i = 0; i < page.events.size(); ++i) out.right(title, wide);
  out.right("Offset", kTypeNumber).right("Size", kTypeNumber).append("  Member\n");
  const std::size_t numbers = page.events.size() * wide + 2 * kTypeNumber + 2;
  out.fill('-', numbers + 30).append('\n');
  std::vector<unsigned> open;
  for (const LayoutRow& row : page.layout) {
    close_to(row.depth, open, numbers, out);
    for (const u32 event : page.events) out.append(cell(page.hits.events[event], row, page.totals[event], style));
    out.format("{:>10}{:>10}  {}\n", row.offset, row.size, printable(declaration(row)));
    if (row.opens) open.push_back(row.depth);
  }
  close_to(0, open, numbers, out);
  out.append('\n');
}

void print_type_counts(Sink& out, const RecordedTypeHits& hits) {
  const u64 all = hits.samples();
  const u64 unknown = std::accumulate(hits.unknown.begin(), hits.unknown.end(), u64{0});
  out.format("Data types: {}, {} known ({:.1f}%), {} unknown ({:.1f}%)\n", counted(all, "sample"), all - unknown,
             percent_of(all - unknown, all), unknown, percent_of(unknown, all));
  for (std::size_t why = 1; why < hits.unknown.size(); ++why)
    if (hits.unknown[why] != 0)
      out.format("{:>10}  {}\n", hits.unknown[why], unknown_type_text(static_cast<UnknownType>(why)));
  out.append('\n');
}

void print_instruction_counts(Sink& out, const RecordedTypeHits& hits) {
  using Counted = std::pair<std::string, TypedInstruction>;
  std::vector<Counted> rows(hits.instructions.begin(), hits.instructions.end());
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const Counted& row) { return row.second.known + row.second.unknown; });
  TypedInstruction all;
  for (const auto& [mnemonic, one] : rows) {
    all.known += one.known;
    all.unknown += one.unknown;
  }
  const u64 sum = all.known + all.unknown;
  out.format("Annotate Instruction stats\ntotal {}, ok {} ({:.1f}%), bad {} ({:.1f}%)\n\n", sum, all.known,
             percent_of(all.known, sum), all.unknown, percent_of(all.unknown, sum));
  out.format("  {:<20}: {:>5} {:>5}\n", "Name/opcode", "Good", "Bad").fill('-', 61).append('\n');
  for (const auto& [mnemonic, one] : rows)
    out.format("  {:<20}: {:>5} {:>5}\n", mnemonic.empty() ? "(not decoded)" : mnemonic, one.known, one.unknown);
  out.append('\n');
}

}  // namespace peregrine
