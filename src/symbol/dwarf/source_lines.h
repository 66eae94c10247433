// SourceLines: maps an address to its source line and inlined functions, from the DWARF of one file.
//
// Opened from the file that has .debug_info (DsoTable::open_debug). open() indexes the units by address; each is
// decoded on first use. Supports DWARF 2 to 5 of any word size and byte order, compressed sections, split DWARF (.dwo,
// .dwp) and dwz. Addresses are virtual addresses of that file: convert a Frame's file offset with
// ElfFile::virtual_address(). Files are untrusted: invalid data is skipped and counted. Const functions are thread
// safe, and lock-free once the unit is decoded; views live as long as the object.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/container/id.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// Valid within one SourceLines; equal paths have equal ids.
using SourceFileId = Id<struct SourceFileTag>;

struct SourceLine {
  SourceFileId file;  // invalid: unknown
  u32 line = 0;       // 0: code without a line
  explicit operator bool() const { return file.valid(); }
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// One function at an address: the line of the address, or of the call to the function inlined into it.
struct SourceFrame {
  std::string_view function;  // linkage name if any (needs demangle()); empty if unknown
  SourceLine at;
};

// Covers the addresses up to the next row.
struct LineRow {
  u64 address = 0;
  SourceLine at;  // without file: code of unknown line
  bool is_statement = false;
};

// Where else to look for debug information.
struct SourceSearch {
  std::string dso_path;  // as mapped, after --symfs; FILE.dwp is next to it
  std::string symfs;     // prefix for absolute paths of .dwo files
  std::string debug_folder = "/usr/lib/debug";
  ReadFailures* failures = nullptr;  // collects .dwo files that could not be read
};

class SourceLines {
 public:
  // NotFound: the file has no line numbers.
  static Result<std::unique_ptr<SourceLines>> open(ElfFile file, const SourceSearch& search = {});
  ~SourceLines();

  // The line of the instruction at that address.
  SourceLine find(u64 virtual_address) const;
  // Appends the functions at that address, innermost first, ending with the one that has its own symbol. Appends
  // nothing if no function is known.
  void frames(u64 virtual_address, std::vector<SourceFrame>& out) const;
  // The line table of [begin, end), ascending; the first row covers `begin`.
  std::vector<LineRow> rows(u64 begin, u64 end) const;

  // "/usr/src/x/main.c"; relative paths are prefixed with the compilation folder. Empty for an invalid id.
  std::string_view file_path(SourceFileId file) const;

  // Counts invalid units and missing .dwo files; their data was skipped.
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
