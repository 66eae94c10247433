// annotate --data-type: a type's members with their share per event; --type-stat: how many samples have a type;
// --insn-stat: the same per instruction.
//
// Members of a union overlap, so each shows all their samples.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/type_hits.h"
#include "analysis/data_type/type_layout.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_page.h"

namespace peregrine {

struct TypePage {
  const TypeHits& hits;
  std::span<const LayoutRow> layout;
  std::span<const Hits> totals;  // of the recording, by event
  std::vector<u32> events;       // one column each
  std::string event;             // "cpu-clock", or the group's name
};

void print_type_page(Sink& out, const TypePage& page, const AnnotateStyle& style);
void print_type_counts(Sink& out, const RecordedTypeHits& hits);
// Uses linux-perf's layout, which its tests check.
void print_instruction_counts(Sink& out, const RecordedTypeHits& hits);

}  // namespace peregrine
