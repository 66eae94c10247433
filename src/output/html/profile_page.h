// A profile as one self-contained HTML page: flame graph, table, callers and callees, code, time. Uses no network; the
// data is packed into it, and its script (html/page) computes what the reader selects.
//
// All text of the recording is in the packed data and is inserted only as text. Pure.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/annotate/hot_functions.h"
#include "analysis/annotate/line_times.h"
#include "analysis/hist/picture/lanes.h"
#include "analysis/hist/picture/stack_profile.h"
#include "output/html/packed_text.h"
#include "output/sink.h"

namespace peregrine {

struct PageText {
  std::string title, subtitle;
  std::string made_by;                                     // program and version
  std::vector<std::string> units;                          // by series: "ns", "events"
  std::vector<std::pair<std::string, std::string>> facts;  // of the recording, in order
  std::string header;                                      // as printed by report --header
  std::string losses;                                      // lost data, one per line; empty if none
  u64 span = 0;                                            // ns from the first to the last sample
  double narrow = 0;                                       // stacks below that share were merged
  bool compared = false;                                   // the second series is the base of the first
  bool as_counted = false;                                 // the compared sides have different units
  bool heat_map_first = false;
};

// The contents of a page. Weights of `lanes` and of code are by series.
struct PageContent {
  const StackProfile& profile;
  const Lanes* lanes = nullptr;
  // code_json(), packed; called last, since it may still be in progress. Null: no code.
  std::function<const PackedText&()> code = nullptr;
};
void print_profile_page(Sink& out, const PageContent& content, const PageText& text);

// The packed data is one JSON object, with columns of ids as differences. It is built in two parts, each a list of
// members without braces: everything except code,
std::string profile_json(const PageContent& content, const PageText& text);
// and functions, with the times of hits on their lines.
std::string code_json(std::span<const HotFunction> code, const LineTimes& times);

}  // namespace peregrine
