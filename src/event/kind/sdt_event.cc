#include "event/kind/sdt_event.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace peregrine {

namespace {

// Reads lines such as "%sdt_libc:setjmp=setjmp"; the lines between them contain the locations.
void read_notes(std::string_view text, const SdtEvent& place, std::vector<SdtEvent>& events) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto name = line.substr(0, line.find('='));
    if (!name.starts_with("%sdt_") || name.find(':') == std::string_view::npos) continue;
    events.push_back({std::string(name.substr(1)), place.path, place.build_id});
  }
}

}  // namespace

std::vector<SdtEvent> read_sdt_events(const Root& root, const std::string& cache) {
  std::vector<SdtEvent> events;
  const std::string links = cache + "/.build-id";
  for (const auto& first : root.names(links)) {
    for (const auto& rest : root.names(links + '/' + first)) {
      const std::string link = links + '/' + first + '/' + rest;
      const auto text = root.read(link + "/probes");
      if (!text || text->empty()) continue;
      // The link is "../../usr/bin/true/ID"; drop "../" and ID.
      std::string path = root.link(link).value_or("");
      while (path.starts_with("../")) path.erase(0, 3);
      path = '/' + path.substr(0, path.rfind('/'));
      read_notes(*text, {{}, std::move(path), first + rest}, events);
    }
  }
  std::ranges::sort(events, {}, [](const SdtEvent& e) { return std::tie(e.name, e.build_id); });
  return events;
}

}  // namespace peregrine
