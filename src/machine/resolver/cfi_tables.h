// CfiTables: the compiled call frame information of each dso, beside the DsoTable, by the same ids.
//
// Compiled once, at the first question, from whichever thread asks; afterwards read without locks. What took long is
// kept by build-id for the next run (KeptFiles). A dso without a file, without CFI or with a broken one has an empty
// table. Only grow() changes the list itself.
#pragma once
#include <chrono>
#include <deque>
#include <mutex>

#include "machine/dso/dso.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

struct DsoCfi {
  struct Load {
    u64 offset, size, address;
  };
  CfiTable table;           // by virtual address
  std::vector<Load> loads;  // how file offsets, which maps speak of, become virtual addresses
  bool readable = false;    // there is a file

  std::optional<u64> virtual_address(u64 file_offset) const;
};

class CfiTables {
 public:
  // Tables that take less time than `long_enough` are not worth a file.
  explicit CfiTables(const DsoTable& dsos, std::chrono::nanoseconds long_enough = std::chrono::milliseconds(1))
      : dsos_(dsos), long_enough_(long_enough) {}

  // Takes in the dsos that came since. Alone: nobody may ask meanwhile.
  void grow();
  // Of a dso that was there at the last grow(). Thread safe.
  const DsoCfi& of(DsoId id) const;

 private:
  struct Entry {
    mutable std::once_flag once;
    mutable DsoCfi cfi;
  };
  DsoCfi compile(DsoId id) const;
  CfiTable table_of(const ElfFile& code, const ElfFile* debug) const;

  const DsoTable& dsos_;
  const std::chrono::nanoseconds long_enough_;
  std::deque<Entry> entries_;
};

}  // namespace peregrine
