// print_data_types(): the data types that a recording's instructions access, member by member.
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
  std::string type;          // only this type, with or without "struct"; empty: all
  double percent_limit = 0;  // of a type
  bool skip_empty = false;   // omit events without samples
  AnnotateStyle style;
  std::string format;  // csv, json or jsonl; empty: text
};

// `tables`: the events of each table; `names`: of all events. Returns the number of types or, with a format, of rows.
u64 print_data_types(const TypeRequest& request, const RecordedTypeHits& hits,
                     const std::vector<std::vector<u32>>& tables, const std::vector<std::string>& names,
                     const data::Evlist& evlist, Sink& out);

}  // namespace peregrine
