// SourceLines: what the DWARF of one file says of an address: its source line, and the functions inlined there.
//
// Opened from the file that has .debug_info (DsoTable::open_debug); its units are indexed by address at open() and
// decoded one by one at the first question for each. Understands DWARF 2 to 5 of either word size and byte order,
// compressed sections, split DWARF (.dwo, .dwp) and dwz. Addresses are virtual ones of that file:
// ElfFile::virtual_address() makes them of a Frame's file offset. Files are untrusted: what makes no sense is left out,
// and counted. Const functions are thread safe, and lock-free where the unit has been decoded before; views live as
// long as the object.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/container/id.h"
#include "base/result.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// Of one SourceLines; equal paths have equal ids.
using SourceFileId = Id<struct SourceFileTag>;

struct SourceLine {
  SourceFileId file;  // invalid: nothing is known
  u32 line = 0;       // 0: code of no line
  explicit operator bool() const { return file.valid(); }
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// One function at an address: where in it the address lies, or where it calls the one that is inlined into it.
struct SourceFrame {
  std::string_view function;  // the linkage name where there is one: demangle() it; empty: unknown
  SourceLine at;
};

// Holds from its address to that of the next row.
struct LineRow {
  u64 address = 0;
  SourceLine at;  // without file: code of no known line
  bool is_statement = false;
};

// Where else debug information may lie.
struct SourceSearch {
  std::string dso_path;  // as programs map it, behind --symfs: FILE.dwp lies beside it
  std::string symfs;     // put before absolute paths of .dwo files
  std::string debug_folder = "/usr/lib/debug";
  ReadFailures* failures = nullptr;  // told which .dwo files the machine fails to read
};

class SourceLines {
 public:
  // NotFound: the file has no line numbers.
  static Result<std::unique_ptr<SourceLines>> open(ElfFile file, const SourceSearch& search = {});
  ~SourceLines();

  // The line of the instruction at that address.
  SourceLine find(u64 virtual_address) const;
  // Appends the functions at that address, innermost first: those inlined, then the one that has its own symbol.
  // Nothing where no function is known.
  void frames(u64 virtual_address, std::vector<SourceFrame>& out) const;
  // The line table between two addresses, ascending; the first row covers `begin`.
  std::vector<LineRow> rows(u64 begin, u64 end) const;

  // "/usr/src/x/main.c": with the compilation folder when the compiler was given a relative path. Empty for an invalid
  // id.
  std::string_view file_path(SourceFileId file) const;

  // What was left out: units that make no sense, .dwo files that are not there.
  struct Counts {
    u64 units = 0, decoded_units = 0, bad_units = 0, missing_split_units = 0;
    bool missing_supplement = false;  // the file that dwz moved shared parts to
  };
  Counts counts() const;
  const ElfFile& file() const;

 private:
  class Implementation;
  explicit SourceLines(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace peregrine
