// A profile as one self-contained HTML page: flame graph, table, callers and callees, code, time. It asks no network,
// its data is packed into it, and its script (html/page) does the sums of what the reader chooses.
//
// All text of the recording is in the packed data and reaches the page as text only. Pure.
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
  std::string header;                                      // as report --header prints it
  std::string losses;                                      // what is missing, in lines; empty: nothing
  double narrow = 0;                                       // stacks of less than that share are joined
  bool compared = false;                                   // the second series is the base of the first
  bool as_counted = false;                                 // sides of a comparison that do not count the same
  bool heat_map_first = false;
};

// What a page shows. Weights of `lanes` and of code are by series.
struct PageContent {
  const StackProfile& profile;
  const Lanes* lanes = nullptr;
  // code_json(), packed; asked for last, for it may still be in the making. Null: none.
  std::function<const PackedText&()> code = nullptr;
};
void print_profile_page(Sink& out, const PageContent& content, const PageText& text);

// What is packed is one JSON object, whose columns of ids are differences. It is made in two parts, each of them
// members without the braces around them: all but code,
std::string profile_json(const PageContent& content, const PageText& text);
// and functions with when their lines were hit.
std::string code_json(std::span<const HotFunction> code, const LineTimes& times);

}  // namespace peregrine
