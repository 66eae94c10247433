// ListingSources: puts source lines between the instructions of a listing, from the dso's debug information.
//
// Each instruction learns its place. Where the place changes, the lines of text that lead to it are shown, up to five
// before it that were not shown yet, as objdump -S does; where the text is not to be found, the place itself. Files are
// looked for at their recorded path below symfs, or with `prefix` put before what is left of it. One thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/annotate/listing.h"
#include "machine/source/source_text.h"
#include "symbol/dwarf/source_lines.h"

namespace peregrine {

// What add_source() asks of debug information; SourceLines in programs, a table in tests.
class PlaceNames {
 public:
  virtual ~PlaceNames() = default;
  struct Place {
    std::string_view path;  // empty: unknown
    u32 line = 0;
  };
  virtual Place find(u64 address) = 0;
};

// Fills `place` of each line and, with `texts`, `source`.
void add_source(Listing& listing, PlaceNames& places, SourceTexts* texts);

class ListingSources {
 public:
  // `machine` outlives it.
  ListingSources(const Machine& machine, SourcePlaces places);
  ~ListingSources();
  // Without debug information the listing stays as it is.
  void add(Listing& listing, DsoId dso, bool with_text);

 private:
  const Machine& machine_;
  SourcePlaces places_;
  SourceTexts texts_;
  std::unordered_map<u32, std::unique_ptr<SourceLines>> lines_;  // by dso; null: it has none
};

}  // namespace peregrine
