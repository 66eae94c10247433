// SymbolTableBuilder: collects symbols in loading order and applies linux-perf's rules to them.
//
// Call add() for each symbol, then settle() to fix sizes and duplicates (once per source: .symtab, .dynsym), then add()
// symbols to be kept unchanged, then build(). Names are borrowed until build().
#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "symbol/table/function_extent.h"
#include "symbol/table/name_text.h"
#include "symbol/table/search_tree.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

struct NewSymbol {
  u64 start = 0;
  u64 end = 0;
  std::string_view name;
  SymbolBinding binding = SymbolBinding::Local;
  SymbolType type = SymbolType::None;
};

enum class NameStyle { Mangled, Plain };  // Plain: kernel names are compared undemangled

// Which of two symbols with one start linux-perf keeps: prefers a size over none, then non-weak, then global, then
// fewer leading underscores, then the longer demangled name, then one that is not a SyS_ or compat_SyS_ alias, then the
// first.
class SymbolChoice {
 public:
  explicit SymbolChoice(NameStyle style) : style_(style) {}
  bool prefers_first(const NewSymbol& first, const NewSymbol& second);

 private:
  std::string_view shown(std::string_view raw);

  NameStyle style_;
  struct Shown {
    std::string_view raw;
    std::string text;
  };
  Shown memo_[2];  // linkers fold thousands of functions into one: the kept one is compared with each
  int newest_ = 0;
};

class SymbolTableBuilder {
 public:
  static constexpr std::size_t kTextLimit = std::size_t{1} << 30;

  explicit SymbolTableBuilder(NameStyle style = NameStyle::Mangled) : style_(style) {}

  void reserve(std::size_t count) { symbols_.reserve(symbols_.size() + count); }
  void add(const NewSymbol& symbol) { symbols_.push_back(symbol); }
  // Lets the symbol added last win overlaps, instead of the one linux-perf's search would find: later code has replaced
  // earlier code.
  void prefer_last() { prefer_last_ = true; }
  // A copy of `name` that lives as long as the builder.
  std::string_view keep(std::string name) { return kept_.emplace_back(std::move(name)); }
  std::size_t size() const { return symbols_.size(); }

  // Extends symbols without a size to the next one (the last to the end of the following page), and keeps one symbol
  // per start address.
  void settle();
  // NUL-terminated names inside `text` are not copied: the table reads them from `kept`, which has the same bytes.
  // Copied names beyond `text_limit` bytes in total become empty: files are untrusted, and names may overlap.
  SymbolTable build(std::size_t text_limit = kTextLimit);
  SymbolTable build(std::size_t text_limit, std::string_view text, NameText kept);

  // Adds unnamed_function() for each function that no symbol of `table` covers. `functions`: sorted and disjoint; one
  // that extends into a symbol is clipped to the part before it.
  static SymbolTable add_unnamed(SymbolTable table, std::string_view program,
                                 std::span<const FunctionExtent> functions);

 private:
  struct Phase {  // one settle(): symbols before `inserted` were added, then `erased` removed
    u32 inserted = 0;
    std::vector<u32> erased;
  };

  void sort_new();
  void fill_ends();
  std::vector<u32> drop_shared_starts();
  void add_segments(SymbolTable& table) const;
  void add_segments_of_last(SymbolTable& table) const;
  u64 last_of(u32 symbol) const;
  bool overlaps() const;
  SearchTree replay(std::span<const SymbolRange> ranges) const;

  NameStyle style_;
  bool prefer_last_ = false;
  std::vector<NewSymbol> symbols_;
  std::vector<u32> order_;  // the live ones among the first sorted_ symbols, by start
  std::size_t sorted_ = 0;
  std::vector<Phase> phases_;
  std::deque<std::string> kept_;
};

}  // namespace peregrine
