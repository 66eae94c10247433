// ListingSources: adds source lines to a listing, from the dso's debug information.
//
// Each instruction gets its place. Where the place changes, the source lines up to it are inserted, with at most five
// preceding lines not yet shown, as in objdump -S; or just the place if the file is not found. Files are searched at
// their recorded path below symfs, or with `prefix` prepended to the rest of it. One thread.
#pragma once
#include <memory>
#include <string_view>
#include <unordered_map>

#include "analysis/annotate/listing.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/source/source_text.h"
#include "symbol/dwarf/source_lines.h"

namespace peregrine {

// Resolves addresses for add_source(): SourceLines in programs, a table in tests.
class PlaceNames {
 public:
  virtual ~PlaceNames() = default;
  struct Place {
    std::string_view path;  // empty if unknown
    u32 line = 0;
  };
  virtual Place find(u64 address) = 0;
};

// Sets `place` of each line and, if `texts` is given, `source`.
void add_source(Listing& listing, PlaceNames& places, SourceTexts* texts);

class ListingSources {
 public:
  // `machine` must outlive this.
  ListingSources(const Machine& machine, SourcePlaces places);
  ~ListingSources();
  // Leaves the listing unchanged if there is no debug information.
  void add(Listing& listing, DsoId dso, bool with_text);

 private:
  const Machine& machine_;
  SourcePlaces places_;
  SourceTexts texts_;
  std::unordered_map<u32, std::unique_ptr<SourceLines>> lines_;  // by dso; null if it has none
};

}  // namespace peregrine
