#include "session/export/picture_request.h"

#include <fmt/format.h>

#include <expected>

#include "base/result.h"
#include "event/config/off_cpu_event.h"

namespace peregrine {

std::string_view PictureRequest::file(std::string_view output) const {
  for (const std::string_view path :
       {std::string_view(html), std::string_view(heat_map), std::string_view(flame_graph), output})
    if (!path.empty() && path != "-") return path;
  return {};
}

Result<> check_picture_file(std::string_view option, std::string_view file, std::string_view suffix) {
  if (file.starts_with('-') && file != "-")
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("{} requires a file name, found '{}'", option, file)}.with_hint(
            fmt::format("write {0} FILE; for a file of this name, write {0} ./{1}", option, file)));
  const std::string_view other = suffix == ".svg" ? ".html" : ".svg";
  if (!file.ends_with(other)) return {};
  const bool page = suffix == ".html";
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("{} writes {}, not '{}'", option, page ? "an HTML page" : "an SVG", file)}
          .with_hint(fmt::format("name it {}{}", file.substr(0, file.size() - other.size()), suffix)));
}

Result<> check_picture_files(const PictureRequest& request) {
  PEREGRINE_TRY(check_picture_file("--flamegraph", request.flame_graph, ".svg"));
  PEREGRINE_TRY(check_picture_file("--html", request.html, ".html"));
  return check_picture_file("--heatmap", request.heat_map, ".html");
}

std::string_view period_unit(std::string_view event) {
  return event.contains("clock") || event.starts_with(kOffCpuName) || event.ends_with("duration_time") ? "ns"
                                                                                                       : "events";
}

}  // namespace peregrine
