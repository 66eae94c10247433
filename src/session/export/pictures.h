// pictures: the pictures of one recording: an SVG flame graph, an HTML page, a page that opens with a heat map.
//
// request_pictures() makes a replay collect the data; write_pictures() draws afterwards.
#pragma once
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/picture/lanes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "output/html/packed_text.h"
#include "output/sink.h"
#include "pipeline/replay/account.h"
#include "session/export/picture_request.h"
#include "session/session_listener.h"

namespace peregrine {

// Collects the data of a page other than stacks. Must outlive the collector.
struct PageSinks {
  std::optional<HitCollector> hits;
  std::optional<LaneCollector> lanes;
};
// Sets the keys and times of `request`, and adds a page's sinks. `names`: of the events.
void request_pictures(const PictureRequest& pictures, const data::Header& header, const std::vector<std::string>& names,
                      PageSinks& sinks, CollectRequest& request);
// Call before the replay. Errors: Usage, an unknown palette.
Result<> check_pictures(const PictureRequest& request);

// A recording after its replay.
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
  std::string losses;        // for a page: descriptions of losses, one per line
  std::string advice;        // for a page: stack_advice()
  std::string creator;       // "peregrine 0.1.0"
  std::string filters = {};  // selection_text(), for the error if nothing matches
};

struct PictureOutput {
  Sink& out;  // standard output, for files named "-"
  SessionListener& listener;
};
// Notes each file. Errors: NotFound, no samples to draw; as write_whole_file().
Result<> write_pictures(const PictureRequest& request, Pictured& pictured, const PictureOutput& output);

}  // namespace peregrine
