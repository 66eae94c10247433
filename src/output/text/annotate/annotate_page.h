// annotate --stdio: one symbol's assembly with each line's share per event, interleaved source, and the targets and
// sources of recorded branches.
//
// The layout is linux-perf's, column by column, since programs and people know it; but source lines have their real
// numbers and indentation. Pure except for the sink.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

enum class AnnotateColumn : u8 { Percent, Samples, Period };

struct AnnotateStyle {
  PercentType type;
  AnnotateColumn column = AnnotateColumn::Percent;
  bool code_bytes = false;  // --asm-raw
  bool places = false;      // -l
  bool full_paths = false;  // -P
  bool colors = false;
  bool offsets = true;  // --stdio2: jumps show offsets in the symbol instead of addresses
  bool hits = false;    // -v: list hit addresses first
  bool frame = true;    // --stdio2: the section and the symbol above the code
};

struct AnnotatePage {
  const Listing& listing;
  const SymbolHits& hits;
  std::span<const Hits> totals;  // of the recording, by event
  std::vector<u32> events;       // one column each; the first is used for single numbers
  std::string dso;               // as displayed
  std::string dso_path;          // full path
  std::string event;             // "cpu-clock", or the group's name
  u64 frequency = 0;             // requested samples per second; 0: fixed period
};

// Samples not covered by a line follow the last one.
void print_annotate_page(Sink& out, const AnnotatePage& page, const AnnotateStyle& style);
// --stdio2, for people: arrows for jumps, labels at targets, names instead of addresses.
void print_compact_page(Sink& out, const AnnotatePage& page, const AnnotateStyle& style);
// -l: the hottest source lines; goes before the page.
void print_hot_places(Sink& out, const AnnotatePage& page, const AnnotateStyle& style);

// "\t\t# data-type: struct foo +0x8 (next)"; empty if unknown.
std::string data_type_remark(const ListingLine& line);

// "local period"
std::string_view describe(PercentType type);
// End of the offsets that a line covers: the start of the next line.
u64 end_of_line(const Listing& listing, std::size_t line);

}  // namespace peregrine
