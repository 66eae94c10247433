// annotate --data-type: one type with its members, each with its share of each event; --type-stat: how many samples
// have a type at all; --insn-stat: the same by instruction.
//
// Members of unions lie at the same place: each has all its samples.
#pragma once
#include "analysis/annotate/type_hits.h"
#include "analysis/data_type/type_layout.h"
#include "output/text/annotate/annotate_page.h"

namespace peregrine {

struct TypePage {
  const TypeHits& hits;
  std::span<const LayoutRow> layout;
  std::span<const Hits> totals;  // of the recording, by event
  std::vector<u32> events;       // one column each
  std::string event;             // "cpu-clock", or a group's
};

void print_type_page(Sink& out, const TypePage& page, const AnnotateStyle& style);
void print_type_counts(Sink& out, const RecordedTypeHits& hits);
// As linux-perf lays it out, which its tests look at.
void print_instruction_counts(Sink& out, const RecordedTypeHits& hits);

}  // namespace peregrine
