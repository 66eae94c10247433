// SymbolTableBuilder: gathers symbols in the order a loader meets them and applies linux-perf's rules to them.
//
// add() any number, then settle() for the rules about sizes and shared addresses (once per source: .symtab, .dynsym),
// add() more that are to stay as they are, then build(). Names are borrowed until build().
#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbol/table/function_extent.h"
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

enum class NameStyle { Mangled, Plain };  // Plain: kernel names are compared as they are

// Which of two symbols of one start linux-perf keeps: a size beats none, then not weak, then global, then fewer leading
// underscores, then the longer name as shown, then not a SyS_ or compat_SyS_ alias, then the first.
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
  Shown memo_[2];  // linkers fold thousands of functions into one: the one held is compared with each of the others
  int newest_ = 0;
};

class SymbolTableBuilder {
 public:
  static constexpr std::size_t kTextLimit = std::size_t{1} << 30;

  explicit SymbolTableBuilder(NameStyle style = NameStyle::Mangled) : style_(style) {}

  void reserve(std::size_t count) { symbols_.reserve(symbols_.size() + count); }
  void add(const NewSymbol& symbol) { symbols_.push_back(symbol); }
  // Where symbols overlap the one added last is shown, instead of the one that linux-perf's search meets first: later
  // code has taken the place of earlier.
  void prefer_last() { prefer_last_ = true; }
  // A copy of `name` that lives as long as the builder.
  std::string_view keep(std::string name) { return kept_.emplace_back(std::move(name)); }
  std::size_t size() const { return symbols_.size(); }

  // Symbols without a size reach to the next one (the last to the end of the following page); of those that share a
  // start one stays.
  void settle();
  // Names that lie in `text`, each ended by a NUL, are not copied: the table finds them in `kept`, which holds the same
  // bytes. Copied names beyond `text_limit` bytes in sum become empty: files are untrusted, and names may overlap.
  SymbolTable build(std::size_t text_limit = kTextLimit);
  SymbolTable build(std::size_t text_limit, std::string_view text, NameText kept);

  // A table with a symbol, unnamed_function(), for each function that no symbol of `table` covers. `functions`: sorted,
  // without overlaps; of one that reaches into a symbol, the part before it.
  static SymbolTable add_unnamed(SymbolTable table, std::string_view program,
                                 std::span<const FunctionExtent> functions);

 private:
  struct Phase {  // what a settle() did: symbols before `inserted` were added, then `erased` went
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
  std::vector<u32> order_;  // those of the first sorted_ symbols that still live, by start
  std::size_t sorted_ = 0;
  std::vector<Phase> phases_;
  std::deque<std::string> kept_;
};

}  // namespace peregrine
