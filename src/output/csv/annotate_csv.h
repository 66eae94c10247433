// Annotated functions as CSV: a header line, then one line per instruction.
//
//   event,symbol,dso,offset,address,code,samples,period,percent,target,place
//   cpu-clock,work,/opt/prog,4,0x401004,"add %rsi,%rax",3,750000,60,,/src/work.c:12
//
// With data types, a column data_type follows. For a group, each member has its own lines.
#pragma once
#include <string>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_page.h"

namespace peregrine {

void print_annotate_csv_titles(Sink& out, bool types);

// `events`: names of the page's events.
void print_annotate_csv(Sink& out, const AnnotatePage& page, const std::vector<std::string>& events, PercentType type,
                        bool types);

}  // namespace peregrine
