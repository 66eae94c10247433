#include "analysis/annotate/hot_functions.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "analysis/annotate/listing.h"
#include "base/types.h"
#include "insn/instruction.h"
#include "machine/machine.h"

namespace peregrine {

namespace {

// Formats "call   work+0x60" or "mov    0x10(%rip),%rax  # table".
std::string instruction_text(const ListingLine& line) {
  std::string text = line.code.mnemonic;
  std::string operands = line.code.operands;
  if (!line.target.empty()) {
    // The address is the last operand, often the only one.
    const std::size_t last = operands.rfind(' ');
    operands = (last == std::string::npos ? std::string() : operands.substr(0, last + 1)) + line.target;
  }
  if (!operands.empty()) text += std::string(text.size() < 7 ? 7 - text.size() : 1, ' ') + operands;
  if (!line.data.empty()) text += "  # " + line.data;
  return text;
}

u64 end_of(const ListingLine& line) { return line.offset + std::max(line.code.size, 1u); }

// In a long listing, only lines near hits are kept.
std::vector<bool> kept_lines(const std::vector<std::vector<Hits>>& hits, const HotRequest& request) {
  const std::size_t count = hits.size();
  if (count <= request.long_lines) return std::vector<bool>(count, true);
  std::vector<bool> kept(count);
  for (std::size_t at = 0; at < count; ++at) {
    if (std::ranges::all_of(hits[at], [](const Hits& own) { return own.samples == 0; })) continue;
    const std::size_t first = at - std::min(at, request.neighbours);
    const std::size_t end = std::min(count, at + request.neighbours + 1);
    std::fill(kept.begin() + static_cast<std::ptrdiff_t>(first), kept.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return kept;
}

// Ordered by a function's largest share of any event.
std::vector<u32> hottest_of_any(const RecordedHits& hits, const HotRequest& request) {
  std::vector<u32> order = hits.hottest(request.events);
  const auto share = [&](u32 symbol) {
    double widest = 0;
    for (const u32 event : request.events) {
      const double all = static_cast<double>(std::max<u64>(hits.totals[event].period, 1));
      widest = std::max(widest, static_cast<double>(hits.symbols[symbol].events[event].total.period) / all);
    }
    return widest;
  };
  std::ranges::stable_sort(order, std::greater(), share);
  // Each function costs a read of its file. Keep some spare ones, because the first may turn out to have no code.
  if (order.size() > request.functions * 4) order.resize(request.functions * 4);
  return order;
}

}  // namespace

std::vector<HotLine> hot_lines(const Listing& listing, const SymbolHits& hits, const HotRequest& request) {
  std::vector<std::vector<Hits>> of_line;
  for (const ListingLine& line : listing.lines) {
    std::vector<Hits> own;
    for (const u32 event : request.events) own.push_back(hits.events[event].between(line.offset, end_of(line)));
    of_line.push_back(std::move(own));
  }
  const std::vector<bool> kept = kept_lines(of_line, request);
  std::vector<HotLine> lines;
  std::vector<std::pair<u64, i32>> places;  // address and index of kept lines, ascending
  u32 left_out = 0;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    if (!kept[at]) {
      ++left_out;
      continue;
    }
    const ListingLine& line = listing.lines[at];
    places.emplace_back(line.code.address, static_cast<i32>(lines.size()));
    lines.push_back({.address = line.code.address,
                     .begin = line.offset,
                     .end = end_of(line),
                     .text = instruction_text(line),
                     .left_out = std::exchange(left_out, 0),
                     .source = line.source,
                     .place = line.place,
                     .hits = std::move(of_line[at])});
  }
  std::ranges::sort(places);
  std::size_t next = 0;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    if (!kept[at]) continue;
    HotLine& line = lines[next++];
    const ListingLine& from = listing.lines[at];
    if (!from.inside || !from.code.target || from.code.flow == Flow::Call) continue;
    const auto to = std::ranges::lower_bound(places, *from.code.target, {}, &std::pair<u64, i32>::first);
    if (to != places.end() && to->first == *from.code.target) line.leads_to = to->second;
  }
  return lines;
}

std::vector<HotFunction> hot_functions(const Machine& machine, const RecordedHits& hits, SymbolListings& listings,
                                       const HotRequest& request) {
  std::vector<HotFunction> functions;
  std::size_t lines = 0, missing = 0;
  for (const u32 index : hottest_of_any(hits, request)) {
    const SymbolHits& symbol = hits.symbols[index];
    HotFunction function{.symbol = index,
                         .name = machine.dsos().symbol_name(symbol.dso, symbol.symbol),
                         .dso = machine.dsos().at(symbol.dso).short_name};
    for (const u32 event : request.events) function.total.push_back(symbol.events[event].total);
    auto listing = listings.list(symbol.dso, symbol.symbol);
    if (listing) {
      function.file = listing->code.file;
      function.lines = hot_lines(*listing, symbol, request);
    } else {
      function.missing = listing.error().message;
      if (!listing.error().hint.empty()) function.missing += "\n" + listing.error().hint;
    }
    if (function.lines.empty() && ++missing > request.missing) continue;
    lines += function.lines.size();
    if (lines > request.lines || functions.size() >= request.functions + request.missing) break;
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace peregrine
