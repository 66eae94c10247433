#include "symbol/table/symbol_table_builder.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "base/types.h"
#include "symbol/table/demangle.h"
#include "symbol/table/name_text.h"

namespace peregrine {

namespace {

constexpr u64 kPage = 4096;

std::size_t leading_underscores(std::string_view name) { return std::min(name.find_first_not_of('_'), name.size()); }

// Aliases of one C++ function often differ in only one digit (C1/C2 constructors) and demangle to the same name.
bool differ_in_one_digit(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || !a.starts_with("_Z")) return false;
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end()) return true;
  const auto at = static_cast<std::size_t>(in_a - a.begin());
  if (at == 0) return false;
  const char before = a[at - 1];
  return (before == 'C' || before == 'D') && *in_a <= '5' && *in_b <= '5' && a.substr(at + 1) == b.substr(at + 1);
}

// Compares the names only: positive if a wins, negative if b wins, 0 for a tie.
int compare_names(std::string_view a, std::string_view b) {
  const std::size_t a_underscores = leading_underscores(a);
  const std::size_t b_underscores = leading_underscores(b);
  if (a_underscores != b_underscores) return a_underscores < b_underscores ? 1 : -1;
  if (a.size() != b.size()) return a.size() > b.size() ? 1 : -1;
  return 0;
}

}  // namespace

std::string_view SymbolChoice::shown(std::string_view raw) {
  if (style_ == NameStyle::Plain || !may_be_mangled(raw)) return raw;
  for (int i = 0; i < 2; ++i) {
    if (memo_[i].raw != raw) continue;
    newest_ = i;
    return memo_[i].text;
  }
  newest_ = 1 - newest_;  // the most recently used entry is the other name of this comparison: keep it
  memo_[newest_] = {.raw = raw, .text = demangle(raw)};
  return memo_[newest_].text;
}

bool SymbolChoice::prefers_first(const NewSymbol& first, const NewSymbol& second) {
  const bool first_empty = first.end == first.start;
  const bool second_empty = second.end == second.start;
  if (first_empty != second_empty) return second_empty;
  const bool first_weak = first.binding == SymbolBinding::Weak;
  const bool second_weak = second.binding == SymbolBinding::Weak;
  if (first_weak != second_weak) return second_weak;
  const bool first_global = first.binding == SymbolBinding::Global;
  const bool second_global = second.binding == SymbolBinding::Global;
  if (first_global != second_global) return first_global;
  if (first.name == second.name) return true;
  if (style_ == NameStyle::Mangled && differ_in_one_digit(first.name, second.name)) return true;
  const std::string_view first_shown = shown(first.name);
  const std::string_view second_shown = shown(second.name);
  if (const int order = compare_names(first_shown, second_shown); order != 0) return order > 0;
  return !first_shown.starts_with("SyS") && !first_shown.starts_with("compat_SyS");
}

// Merges the symbols added since the last call into order_; for equal starts, older symbols come first.
void SymbolTableBuilder::sort_new() {
  struct Key {
    u64 start;
    u32 symbol;
    bool operator<(const Key& other) const {
      return start != other.start ? start < other.start : symbol < other.symbol;
    }
  };
  std::vector<Key> added;
  added.reserve(symbols_.size() - sorted_);
  for (; sorted_ < symbols_.size(); ++sorted_) added.push_back({symbols_[sorted_].start, static_cast<u32>(sorted_)});
  if (!std::ranges::is_sorted(added, std::less<Key>())) std::ranges::sort(added, std::less<Key>());
  std::vector<u32> merged;
  merged.reserve(order_.size() + added.size());
  std::size_t old = 0;
  for (const Key& key : added) {
    while (old < order_.size() && symbols_[order_[old]].start <= key.start) merged.push_back(order_[old++]);
    merged.push_back(key.symbol);
  }
  merged.insert(merged.end(), order_.begin() + static_cast<std::ptrdiff_t>(old), order_.end());
  order_ = std::move(merged);
}

void SymbolTableBuilder::fill_ends() {
  for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
    NewSymbol& symbol = symbols_[order_[i]];
    if (symbol.end == symbol.start) symbol.end = symbols_[order_[i + 1]].start;
  }
  NewSymbol& last = symbols_[order_.back()];
  if (last.end == last.start) last.end = (last.start + kPage - 1) / kPage * kPage + kPage;
}

// For each start, keeps only the preferred symbol in order_. Returns the others in the order linux-perf would erase
// them, which replay() needs.
std::vector<u32> SymbolTableBuilder::drop_shared_starts() {
  std::vector<u32> erased;
  SymbolChoice choice(style_);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const u32 held = order_[kept];
    const u32 next = order_[i];
    if (symbols_[held].start != symbols_[next].start) {
      order_[++kept] = next;
    } else if (choice.prefers_first(symbols_[held], symbols_[next])) {
      erased.push_back(next);
    } else {
      erased.push_back(held);
      order_[kept] = next;
    }
  }
  order_.resize(std::min(order_.size(), kept + 1));
  return erased;
}

void SymbolTableBuilder::settle() {
  sort_new();
  if (order_.empty()) return;
  fill_ends();
  phases_.push_back({.inserted = static_cast<u32>(symbols_.size()), .erased = drop_shared_starts()});
}

SearchTree SymbolTableBuilder::replay(std::span<const SymbolRange> ranges) const {
  SearchTree tree(ranges);
  u32 next = 0;
  for (const Phase& phase : phases_) {
    while (next < phase.inserted) tree.insert(next++);
    for (const u32 symbol : phase.erased) tree.erase(symbol);
  }
  while (next < symbols_.size()) tree.insert(next++);
  return tree;
}

// The last address that the symbol covers.
u64 SymbolTableBuilder::last_of(u32 symbol) const {
  const NewSymbol& s = symbols_[symbol];
  return s.end > s.start ? s.end - 1 : s.start;
}

bool SymbolTableBuilder::overlaps() const {
  for (std::size_t i = 1; i < order_.size(); ++i) {
    if (symbols_[order_[i]].start <= last_of(order_[i - 1])) return true;
  }
  return false;
}

// Sweeps over the addresses where a symbol begins or ends. `covering` holds the symbols that cover the current address,
// the last added first.
void SymbolTableBuilder::add_segments_of_last(SymbolTable& table) const {
  if (!overlaps()) return;
  std::vector<u32> by_end(order_.size());  // positions in order_, which are the table's indices
  std::iota(by_end.begin(), by_end.end(), 0u);
  std::ranges::sort(by_end, {}, [&](u32 index) { return last_of(order_[index]); });
  std::map<u32, u32, std::greater<>> covering;  // order of adding → position in order_
  std::size_t begun = 0, ended = 0;
  while (ended < by_end.size()) {
    const u64 next_end = last_of(order_[by_end[ended]]);
    const bool begins = begun < order_.size() && symbols_[order_[begun]].start <= next_end;
    const u64 at = begins ? symbols_[order_[begun]].start : next_end + 1;
    for (; begun < order_.size() && symbols_[order_[begun]].start == at; ++begun)
      covering.emplace(order_[begun], static_cast<u32>(begun));
    for (; !begins && ended < by_end.size() && last_of(order_[by_end[ended]]) == next_end; ++ended)
      covering.erase(order_[by_end[ended]]);
    const u32 winner = covering.empty() ? SymbolTable::kNobody : covering.begin()->second;
    if (!begins && at == 0) break;  // nothing follows the last address
    auto& segments = table.segments_;
    if (!segments.empty() && segments.back().from == at) segments.pop_back();
    if (segments.empty() || segments.back().symbol != winner) segments.push_back({at, winner});
  }
}

// Cuts each cluster of overlapping symbols into segments with one winner each. Which symbol wins depends on the shape
// of linux-perf's tree, so the insertions and removals are replayed and the tree is queried at every address where the
// winner may change. That includes start + 1, because an empty symbol covers only its start.
void SymbolTableBuilder::add_segments(SymbolTable& table) const {
  const std::vector<u32>& order = order_;  // positions are the table's indices
  if (!overlaps()) return;

  std::vector<SymbolRange> ranges;
  ranges.reserve(symbols_.size());
  for (const NewSymbol& s : symbols_) ranges.push_back({s.start, s.end});
  const SearchTree tree = replay(ranges);
  std::vector<u32> index_of(symbols_.size(), SymbolIndex::kNone);
  for (u32 i = 0; i < order.size(); ++i) index_of[order[i]] = i;

  std::vector<u64> cuts;
  for (std::size_t first = 0, behind = 0; first < order.size(); first = behind) {
    u64 last = last_of(order[first]);
    for (behind = first + 1; behind < order.size() && symbols_[order[behind]].start <= last; ++behind)
      last = std::max(last, last_of(order[behind]));
    if (behind == first + 1) continue;
    cuts.clear();
    for (std::size_t i = first; i < behind; ++i) {
      cuts.push_back(symbols_[order[i]].start);
      if (last_of(order[i]) != last) cuts.push_back(last_of(order[i]) + 1);
      if (symbols_[order[i]].start != last) cuts.push_back(symbols_[order[i]].start + 1);
    }
    std::ranges::sort(cuts);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      if (i > 0 && cuts[i] == cuts[i - 1]) continue;
      const u32 winner = tree.find(cuts[i]);
      const u32 index = winner == SearchTree::kNone ? SymbolTable::kNobody : index_of[winner];
      const auto& segments = table.segments_;
      if (i > 0 && segments.back().symbol == index) continue;
      table.segments_.push_back({cuts[i], index});
    }
    if (last != ~u64{0}) table.segments_.push_back({last + 1, SymbolTable::kNoOverlap});
  }
}

SymbolTable SymbolTableBuilder::build(std::size_t text_limit) { return build(text_limit, {}, NameText()); }

SymbolTable SymbolTableBuilder::build(std::size_t text_limit, std::string_view text, NameText kept) {
  text_limit = std::min(text_limit, kTextLimit);
  sort_new();
  const std::vector<u32>& order = order_;
  const std::string_view given = text.size() < kTextLimit ? text : std::string_view();
  const auto is_given = [given](std::string_view name) {
    return std::less_equal<>()(given.data(), name.data()) && std::less<>()(name.data(), given.data() + given.size());
  };
  SymbolTable table;
  std::size_t copied = 0;
  for (const u32 i : order) {
    if (!is_given(symbols_[i].name)) copied += symbols_[i].name.size() + 1;
  }
  table.copied_.reserve(std::min(copied, text_limit));
  table.starts_.reserve(order.size());
  table.ends_.reserve(order.size());
  table.names_.reserve(order.size());
  table.kinds_.reserve(order.size());
  for (const u32 i : order) {
    const NewSymbol& symbol = symbols_[i];
    table.starts_.push_back(symbol.start);
    table.ends_.push_back(symbol.end);
    table.kinds_.push_back(static_cast<u8>(static_cast<u8>(symbol.binding) | static_cast<u8>(symbol.type) << 4));
    if (is_given(symbol.name)) {
      table.names_.push_back(static_cast<u32>(symbol.name.data() - given.data()));
      continue;
    }
    table.names_.push_back(static_cast<u32>(table.copied_.size()) | SymbolTable::kCopied);
    if (table.copied_.size() + symbol.name.size() < text_limit) table.copied_.append(symbol.name);
    table.copied_.push_back('\0');
  }
  table.text_ = std::move(kept);
  if (prefer_last_) {
    add_segments_of_last(table);
  } else {
    add_segments(table);
  }
  table.build_index();
  return table;
}

}  // namespace peregrine
