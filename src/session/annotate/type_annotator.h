// print_data_types(): the types of data that a recording's instructions touch, member by member.
#pragma once
#include <string>
#include <vector>

#include "analysis/annotate/type_hits.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_page.h"

namespace peregrine {

struct TypeRequest {
  std::string type;          // only this one, with or without "struct"; empty: all
  double percent_limit = 0;  // of a type
  bool skip_empty = false;   // events without samples
  AnnotateStyle style;
  std::string format;  // csv, json or jsonl; empty: text
};

// `tables`: the events of each table; `names`: of all events. Returns how many types or, with a format, rows there are.
u64 print_data_types(const TypeRequest& request, const RecordedTypeHits& hits,
                     const std::vector<std::vector<u32>>& tables, const std::vector<std::string>& names,
                     const data::Evlist& evlist, Sink& out);

}  // namespace peregrine
