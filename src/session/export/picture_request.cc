#include "session/export/picture_request.h"

#include "event/config/off_cpu_event.h"

namespace peregrine {

std::string_view PictureRequest::file(std::string_view output) const {
  for (const std::string_view path :
       {std::string_view(html), std::string_view(heat_map), std::string_view(flame_graph), output})
    if (!path.empty() && path != "-") return path;
  return {};
}

std::string_view period_unit(std::string_view event) {
  return event.contains("clock") || event.starts_with(kOffCpuName) || event.ends_with("duration_time") ? "ns"
                                                                                                       : "events";
}

}  // namespace peregrine
