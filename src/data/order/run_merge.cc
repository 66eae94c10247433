#include "data/order/run_merge.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace peregrine::data {
namespace {

// With more piles than this (mostly descending times), sorting is cheaper than merging.
constexpr std::size_t kMaxPiles = 4096;
constexpr u32 kNoRun = 0xffffffffu;
constexpr std::size_t kAhead = 64;  // prefetch distance in entries

struct Run {
  u32 first = 0, end = 0;  // indices into `pending`
  u32 next = kNoRun;       // the run on top of this one in its pile
};

struct Pile {
  u64 youngest = 0;
  u32 bottom = 0, top = 0;  // run indices
};

// Splits `pending` into ascending runs, keeps the part of each that is not younger than `limit`, and moves the rest
// out.
std::vector<Run> find_runs(std::span<const IndexEntry> pending, u64 limit, std::vector<IndexEntry>& rest) {
  std::vector<Run> runs;
  const std::size_t count = pending.size();
  for (std::size_t first = 0; first < count;) {
    std::size_t end = first + 1;
    while (end < count && pending[end - 1].time <= pending[end].time) ++end;
    std::size_t kept = end;
    if (pending[end - 1].time > limit) {
      const auto from = pending.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to = pending.begin() + static_cast<std::ptrdiff_t>(end);
      const auto cut = std::upper_bound(from, to, limit, [](u64 t, const IndexEntry& entry) { return t < entry.time; });
      kept = static_cast<std::size_t>(cut - pending.begin());
      rest.insert(rest.end(), cut, to);
    }
    if (kept > first) runs.push_back({static_cast<u32>(first), static_cast<u32>(kept), kNoRun});
    first = end;
  }
  return runs;
}

// Puts each run on a pile, patience-sort style; piles stay sorted by their youngest entry. Returns false if there are
// too many piles.
bool build_piles(std::span<const IndexEntry> pending, std::vector<Run>& runs, std::vector<Pile>& piles) {
  for (u32 index = 0; index < runs.size(); ++index) {
    const u64 first = pending[runs[index].first].time, last = pending[runs[index].end - 1].time;
    auto above = std::upper_bound(piles.begin(), piles.end(), first,
                                  [](u64 time, const Pile& pile) { return time < pile.youngest; });
    if (above == piles.begin()) {
      if (piles.size() == kMaxPiles) return false;
      above = piles.insert(above, Pile{last, index, index});
    } else {
      --above;
      runs[above->top].next = index;
      above->top = index;
      above->youngest = last;
    }
    // Only this pile has a new end, so it alone may have to move up.
    for (; above + 1 != piles.end() && (above + 1)->youngest < above->youngest; ++above)
      std::iter_swap(above, above + 1);
  }
  return true;
}

// Read position in one pile: the time of the next entry, then its index (upper half) and the pile (lower half). Two
// whole words, because a load that spans several recent smaller stores cannot be forwarded and stalls.
struct Cursor {
  u64 time = 0, place = 0;

  u32 at() const { return static_cast<u32>(place >> 32); }
  u32 pile() const { return static_cast<u32>(place); }
  bool operator<(const Cursor& other) const { return time != other.time ? time < other.time : place < other.place; }
};

// Replaces the top of the min-heap by `cursor` and restores the heap.
void replace_top(std::vector<Cursor>& heap, Cursor cursor) {
  const std::size_t size = heap.size();
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && heap[child + 1] < heap[child]) ++child;
    const Cursor smaller = heap[child];
    if (!(smaller < cursor)) break;
    heap[at] = smaller;
    at = child;
  }
  heap[at] = cursor;
}

void merge_piles(std::span<const IndexEntry> pending, const std::vector<Run>& runs, const std::vector<Pile>& piles,
                 std::vector<IndexEntry>& out) {
  std::vector<Cursor> heap;
  std::vector<u32> reading;  // current run of each pile
  for (const Pile& pile : piles) {
    const u32 first = runs[pile.bottom].first;
    heap.push_back({pending[first].time, u64{first} << 32 | reading.size()});
    reading.push_back(pile.bottom);
  }
  std::sort(heap.begin(), heap.end());
  while (!heap.empty()) {
    // Take entries from the top cursor until it passes the next smallest one.
    const Cursor top = heap.front();
    Cursor bound{~u64{0}, ~u64{0}};
    if (heap.size() > 1) bound = heap.size() > 2 && heap[2] < heap[1] ? heap[2] : heap[1];
    u32 run = reading[top.pile()], at = top.at(), end = runs[run].end;
    Cursor next = top;
    do {
      // Another core has just worked on the last batch and owns these cache lines. Waiting for each one costs more
      // than the merge.
      __builtin_prefetch(out.data() + out.size() + kAhead, 1);
      out.push_back(pending[at]);
      if (++at == end) {
        run = runs[run].next;
        if (run == kNoRun) break;
        at = runs[run].first;
        end = runs[run].end;
      }
      next = {pending[at].time, u64{at} << 32 | top.pile()};
    } while (next < bound);
    reading[top.pile()] = run;
    if (run == kNoRun) {
      next = heap.back();
      heap.pop_back();
      if (heap.empty()) break;
    }
    replace_top(heap, next);
  }
}

// Reads a pile run by run.
struct PileReader {
  std::span<const IndexEntry> pending;
  const std::vector<Run>& runs;
  u32 run;
  const IndexEntry *at, *end;  // of the run

  PileReader(std::span<const IndexEntry> entries, const std::vector<Run>& all, u32 first)
      : pending(entries), runs(all), run(first), at(&entries[all[first].first]), end(at + size()) {}
  std::size_t size() const { return runs[run].end - runs[run].first; }
  // False at the end of the pile.
  bool next_run() {
    run = runs[run].next;
    if (run == kNoRun) return false;
    at = &pending[runs[run].first];
    end = at + size();
    return true;
  }
};

// Two CPUs' events alternate unpredictably, and each mispredicted branch costs as much as four entries: this has none
// within runs. Pointers order equal times, since both piles are parts of `pending`.
void merge_two_piles(PileReader a, PileReader b, std::vector<IndexEntry>& out) {
  for (;;) {
    std::ptrdiff_t count = std::min(a.end - a.at, b.end - b.at);
    std::size_t size = out.size();
    out.resize(size + static_cast<std::size_t>(count));
    for (; count > 0; --count) {
      const bool second =
          static_cast<bool>(static_cast<int>(b.at->time < a.at->time) |
                            (static_cast<int>(b.at->time == a.at->time) & static_cast<int>(b.at < a.at)));
      out[size++] = *(second ? b.at : a.at);
      a.at += second ? 0 : 1;
      b.at += second ? 1 : 0;
    }
    PileReader* const ended = a.at == a.end ? &a : b.at == b.end ? &b : nullptr;
    if (ended == nullptr || ended->next_run()) continue;
    PileReader& rest = ended == &a ? b : a;
    do {
      out.insert(out.end(), rest.at, rest.end);
    } while (rest.next_run());
    return;
  }
}

}  // namespace

void merge_runs(std::span<const IndexEntry> pending, u64 limit, std::vector<IndexEntry>& out,
                std::vector<IndexEntry>& rest) {
  std::vector<Run> runs = find_runs(pending, limit, rest);
  std::vector<Pile> piles;
  out.reserve(out.size() + pending.size());
  if (build_piles(pending, runs, piles)) {
    if (piles.size() == 2)
      merge_two_piles({pending, runs, piles[0].bottom}, {pending, runs, piles[1].bottom}, out);
    else
      merge_piles(pending, runs, piles, out);
    return;
  }
  const auto from = static_cast<std::ptrdiff_t>(out.size());
  for (const Run& run : runs) out.insert(out.end(), pending.begin() + run.first, pending.begin() + run.end);
  std::stable_sort(out.begin() + from, out.end(),
                   [](const IndexEntry& a, const IndexEntry& b) { return a.time < b.time; });
}

}  // namespace peregrine::data
