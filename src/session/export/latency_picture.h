// Writes the heat map of times or sizes to an SVG file, for script --pair and blk report. Main thread only.
#pragma once
#include <span>
#include <string>

#include "analysis/field/latency_map.h"
#include "base/result.h"
#include "output/sink.h"
#include "output/svg/latency_heat_map.h"
#include "session/session_listener.h"

namespace peregrine {

// "-" is `out`. Errors: of the file.
Result<> write_latency_picture(const std::string& path, std::span<const PairPoint> points, const HeatMapText& text,
                               Sink& out, SessionListener& listener);

}  // namespace peregrine
