// annotate --stdio: one symbol's assembly, each line with its share of each event, source in between; of recorded
// branches, which lines they lead to and leave.
//
// Programs and people know this layout, so it is linux-perf's, column by column; source lines carry their true numbers
// and keep their indentation. Pure but for the sink.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
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
  bool offsets = true;  // --stdio2: jumps lead to offsets in the symbol, not to addresses
  bool hits = false;    // -v: a list of hit addresses first
};

struct AnnotatePage {
  const Listing& listing;
  const SymbolHits& hits;
  std::span<const Hits> totals;  // of the recording, by event
  std::vector<u32> events;       // one column each; the first one counts where one number stands for all
  std::string dso;               // as its name is shown
  std::string dso_path;          // whole
  std::string event;             // "cpu-clock", or a group's
  u64 frequency = 0;             // samples per second that were asked for; 0: each has its period
};

// Samples that no line covers stand behind the last one.
void print_annotate_page(Sink& out, const AnnotatePage& page, const AnnotateStyle& style);
// --stdio2: the same for people: arrows for jumps, labels where they lead, names in the place of addresses.
void print_compact_page(Sink& out, const AnnotatePage& page, const AnnotateStyle& style);
// -l: the hottest source lines, before the page.
void print_hot_places(Sink& out, const AnnotatePage& page, const AnnotateStyle& style);

// "\t\t# data-type: struct foo +0x8 (next)"; empty where nothing is known of the line.
std::string data_type_remark(const ListingLine& line);

// "local period"
std::string_view describe(PercentType type);
// The offsets that a line covers end where the next one starts.
u64 end_of_line(const Listing& listing, std::size_t line);

}  // namespace peregrine
