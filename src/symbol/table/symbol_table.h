// SymbolTable: which symbol of one dso covers a dso address. Immutable, compact, safe to share between threads.
//
// Filled by the ELF, kallsyms and perf-map loaders through SymbolTableBuilder. A dso address is what linux-perf calls
// the map-relative one: a file offset for ELF files (sample address - map start + map pgoff), the address itself for
// kernel tables and perf-PID.map. Names are raw (mangled): demangle() them once per symbol met, and keep that.
// A look-up costs one array access into a bucket index and a short scan: 5-15 ns, no lock, no allocation.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/container/id.h"
#include "base/types.h"
#include "symbol/table/address_list.h"
#include "symbol/table/name_text.h"

namespace peregrine {

enum class SymbolBinding : u8 { Local, Global, Weak };
enum class SymbolType : u8 { None, Object, Function, Ifunc };

using SymbolIndex = Id<struct SymbolIndexTag>;

struct Symbol {
  u64 start = 0;
  u64 end = 0;       // first address behind it; equals start for a symbol that never got a size
  std::string name;  // raw
  SymbolBinding binding = SymbolBinding::Local;
  SymbolType type = SymbolType::None;
  SymbolIndex index;  // dense from 0 in order of start
};

class SymbolTable {
 public:
  SymbolTable() = default;

  std::size_t size() const { return starts_.size(); }
  bool empty() const { return starts_.empty(); }

  // The symbol that covers `dso_address`; an invalid index when none does.
  SymbolIndex find_index(u64 dso_address) const;
  std::optional<Symbol> find(u64 dso_address) const;
  Symbol at(SymbolIndex index) const;
  u64 start(SymbolIndex index) const { return starts_[index.value]; }
  u64 end(SymbolIndex index) const {
    const u32 i = index.value;
    return !ends_.empty() ? ends_[i] : i + 1 < starts_.size() ? starts_[i + 1] : last_end_;
  }
  // From the file, where the table left its names there: some microseconds.
  std::string name(SymbolIndex index) const;

  // All symbols with that raw name, in order of address. A linear search.
  std::vector<Symbol> find_name(std::string_view raw_name) const;

  std::size_t memory_bytes() const;

  // Whether the machine failed to read a name, which then came out empty.
  bool read_failed() const { return text_.read_failed(); }
  int read_error() const { return text_.read_error(); }  // errno of that

 private:
  friend class SymbolTableBuilder;
  friend class SymbolTableImage;

  // Where symbols overlap, [from, next from) belongs to `symbol`; kNobody where linux-perf finds none, kNoOverlap where
  // the plain search is right. Empty when no symbols overlap.
  struct Segment {
    u64 from;
    u32 symbol;
  };
  static constexpr u32 kNobody = 0xffffffffu;
  static constexpr u32 kNoOverlap = 0xfffffffeu;
  void build_index();
  std::string name_in(const NameText& text, u32 place) const;

  AddressList starts_;
  AddressList ends_;  // empty when each symbol ends where the next one starts, and the last at last_end_
  u64 last_end_ = 0;
  static constexpr u32 kCopied = 0x80000000u;
  std::vector<u32> names_;  // place of the name: in copied_ with bit kCopied, else in text_
  std::vector<u8> kinds_;   // binding | type << 4
  NameText text_;           // a whole string section, as its file has it
  std::string copied_;
  std::vector<Segment> segments_;
  std::vector<u32> buckets_;  // first symbol that starts at or behind the bucket
  unsigned bucket_shift_ = 0;
};

}  // namespace peregrine
