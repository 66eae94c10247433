// pictures: the pictures that report and diff draw from a recording: an SVG flame graph, an HTML page, a page with a
// heat map.
//
// ask_for_pictures() makes a replay collect the data; write_pictures() draws afterwards.
#pragma once
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/picture/lanes.h"
#include "analysis/hist/picture/stack_profile.h"
#include "cli/frame/command.h"
#include "cmd/export/picture_options.h"
#include "cmd/recording/recording.h"
#include "output/html/packed_text.h"

namespace peregrine::cmd {

// What a page wants beside stacks. Outlives the collector.
struct PageSinks {
  std::optional<HitCollector> hits;
  std::optional<LaneCollector> lanes;
};
// Keys and times of `request`, and the sinks of a page. `names`: of the events.
void ask_for_pictures(const PictureOptions& options, const data::Header& header, const std::vector<std::string>& names,
                      PageSinks& sinks, CollectRequest& request);
// Before the replay: Usage, for words that are no palette.
Result<> check_pictures(const PictureOptions& options);

// A recording that was replayed.
struct Pictured {
  const data::Reader& reader;
  const std::vector<std::string>& names;  // of its events
  const Machine& machine;
  const Hists& hists;
  Naming& naming;
  const PageSinks& sinks;
  std::future<PackedText> code;  // of a page
  const ReplayAccount& account;
  u64 time_quantum = 0;
};

Result<int> write_pictures(const PictureOptions& options, Pictured& pictured, Invocation& call);

}  // namespace peregrine::cmd
