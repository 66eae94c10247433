// SymbolTable: maps dso addresses to the symbols of one dso. Immutable, compact, thread safe.
//
//   sampled address ─ - map start + map pgoff ─▶ dso address ─ ElfFile::virtual_address() ─▶ virtual address
//   in a process                                 SymbolTable, frames                         DWARF, CFI, ELF
//
// The ELF, kallsyms and perf-map loaders fill it through SymbolTableBuilder. A dso address is what linux-perf calls
// map-relative: a file offset for ELF files (sample address - map start + map pgoff), the address itself for kernel
// tables and perf-PID.map. Names are raw (mangled): demangle() each symbol once and keep the result. A lookup reads a
// bucket index and scans a few entries: 5-15 ns, no locks, no allocation.
#pragma once
#include <cstddef>
#include <optional>
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
  u64 end = 0;       // first address after it; equals start if the size is unknown
  std::string name;  // raw
  SymbolBinding binding = SymbolBinding::Local;
  SymbolType type = SymbolType::None;
  SymbolIndex index;  // dense from 0, ordered by start
};

class SymbolTable {
 public:
  SymbolTable() = default;

  std::size_t size() const { return starts_.size(); }
  bool empty() const { return starts_.empty(); }

  // The symbol that covers `dso_address`; an invalid index if none does.
  SymbolIndex find_index(u64 dso_address) const;
  std::optional<Symbol> find(u64 dso_address) const;
  Symbol at(SymbolIndex index) const;
  u64 start(SymbolIndex index) const { return starts_[index.value]; }
  u64 end(SymbolIndex index) const {
    const u32 i = index.value;
    return !ends_.empty() ? ends_[i] : i + 1 < starts_.size() ? starts_[i + 1] : last_end_;
  }
  // Takes some microseconds if the name is still in the file.
  std::string name(SymbolIndex index) const;

  // All symbols with that raw name, by address. Linear search.
  std::vector<Symbol> find_name(std::string_view raw_name) const;

  std::size_t memory_bytes() const;

  // Whether reading a name failed, and an empty name was returned.
  bool read_failed() const { return text_.read_failed(); }
  int read_error() const { return text_.read_error(); }  // its errno

 private:
  friend class SymbolTableBuilder;
  friend class SymbolTableImage;

  // Where symbols overlap: [from, next from) belongs to `symbol`; kNobody if linux-perf finds none, kNoOverlap if a
  // plain search is right. Empty if no symbols overlap.
  struct Segment {
    u64 from;
    u32 symbol;
  };
  static constexpr u32 kNobody = 0xffffffffu;
  static constexpr u32 kNoOverlap = 0xfffffffeu;
  void build_index();
  std::string name_in(const NameText& text, u32 place) const;

  AddressList starts_;
  AddressList ends_;  // empty if each symbol ends where the next starts, and the last at last_end_
  u64 last_end_ = 0;
  static constexpr u32 kCopied = 0x80000000u;
  std::vector<u32> names_;  // offset of the name: in copied_ with bit kCopied, else in text_
  std::vector<u8> kinds_;   // binding | type << 4
  NameText text_;           // a whole string section, as in the file
  std::string copied_;
  std::vector<Segment> segments_;
  std::vector<u32> buckets_;  // first symbol that starts in or after the bucket
  unsigned bucket_shift_ = 0;
};

}  // namespace peregrine
