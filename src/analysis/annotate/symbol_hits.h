// SymbolHits: where in each symbol the samples of each event fell.
//
// Collected by a HitCollector, read by listings. Offsets are relative to the symbol's start and ascending. Symbols that
// were not requested are not kept, nor are their samples counted.
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/annotate/code_run.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

struct Hits {
  u64 samples = 0;
  u64 period = 0;
  Hits& operator+=(const Hits& other) {
    samples += other.samples;
    period += other.period;
    return *this;
  }
  friend bool operator==(const Hits&, const Hits&) = default;
};

struct OffsetHits {
  u64 offset = 0;
  Hits hits;
};

// Hits of one event in one symbol.
struct EventHits {
  Hits total;
  std::vector<OffsetHits> offsets;

  // Sum of [begin, end).
  Hits between(u64 begin, u64 end) const;
};

// Indices of the items that these events hit, hottest first: by period of the first event, then of the next; ties are
// ordered by `before`, so the order is deterministic. Each item has `events`, indexed by event.
template <class Item, class Before>
std::vector<u32> hottest_of(const std::vector<Item>& items, std::span<const u32> events, Before before) {
  std::vector<u32> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](u32 at) {
    return std::ranges::none_of(events, [&](u32 event) { return items[at].events[event].total.samples != 0; });
  });
  std::ranges::sort(order, [&](u32 left, u32 right) {
    for (const u32 event : events) {
      const u64 a = items[left].events[event].total.period, b = items[right].events[event].total.period;
      if (a != b) return a > b;
    }
    return before(items[left], items[right]);
  });
  return order;
}

struct SymbolHits {
  DsoId dso;
  SymbolIndex symbol;
  std::vector<EventHits> events;   // by event of the evlist
  std::vector<CodeRun> runs = {};  // of all events; empty if no branches were recorded or requested
};

struct RecordedHits {
  std::vector<SymbolHits> symbols;
  std::vector<Hits> totals;  // by event: all counted samples, even outside symbols

  bool empty() const;
  // The symbols these events hit, hottest first; ties by dso and address.
  std::vector<u32> hottest(std::span<const u32> events) const;
};

enum class PercentBase : u8 { Symbol, Recording };  // local, global
enum class PercentOf : u8 { Period, Samples };

struct PercentType {
  PercentBase base = PercentBase::Symbol;
  PercentOf of = PercentOf::Period;
};

double percent(const Hits& part, const Hits& symbol, const Hits& recording, PercentType type);

}  // namespace peregrine
