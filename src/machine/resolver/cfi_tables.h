// CfiTables: the compiled call frame information of each dso, with the ids of DsoTable.
//
// Each table is compiled once, on the first query, by whichever thread needs it; later reads take no locks. Tables
// that were slow to compile are kept by build-id for the next run (KeptFiles). A dso without a file, without CFI or
// with invalid CFI has an empty table. Only grow() changes the list itself.
#pragma once
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct DsoCfi {
  struct Load {
    u64 offset, size, address;
  };
  CfiTable table;           // by virtual address
  std::vector<Load> loads;  // map the file offsets in maps to virtual addresses
  bool readable = false;    // the dso has a file

  std::optional<u64> virtual_address(u64 file_offset) const;
};

class CfiTables {
 public:
  // Tables that compile faster than `long_enough` are not kept in a file.
  explicit CfiTables(const DsoTable& dsos, std::chrono::nanoseconds long_enough = std::chrono::milliseconds(1))
      : dsos_(dsos), long_enough_(long_enough) {}

  // Adds the dsos created since. No other thread may use this object meanwhile.
  void grow();
  // Frees the tables of all dsos except the `used` ones; they are compiled again on request. No other thread may use
  // this object meanwhile, and earlier results become invalid.
  void release_unused(const std::vector<bool>& used);
  // `id` must have existed at the last grow(). Thread safe.
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
