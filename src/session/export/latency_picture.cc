#include "session/export/latency_picture.h"

#include <fmt/format.h>

#include "base/text/counted.h"
#include "output/text_file.h"

namespace peregrine {

Result<> write_latency_picture(const std::string& path, std::span<const PairPoint> points, const HeatMapText& text,
                               Sink& out, SessionListener& listener) {
  PEREGRINE_TRY(
      write_whole_file(path, out, [&](Sink& file) { print_latency_heat_map(file, make_latency_map(points), text); }));
  listener.note(fmt::format("wrote {} ({})", shown_path(path), counted(points.size(), text.thing)));
  return {};
}

}  // namespace peregrine
