#include "output/json/event_list_json.h"

#include <string>
#include <string_view>

namespace peregrine {

void EventListJson::object(std::span<const std::pair<std::string_view, std::string>> members) {
  json_.line().next();
  JsonDocument object(out_, JsonLayout::Indented);
  object.object([&] {
    for (const auto& [name, value] : members)
      if (!value.empty()) object.member(name, value);
  });
}

void EventListJson::print(const CatalogueEntry& entry) {
  const std::pair<std::string_view, std::string> members[] = {
      {"Unit", entry.pmu},
      {"Topic", entry.topic},
      {"EventName", entry.name},
      {"EventAlias", entry.alias},
      {"EventType", std::string(entry.label)},
      {"Deprecated", entry.deprecated ? "1" : ""},
      {"BriefDescription", entry.description},
      {"PublicDescription", entry.long_description == entry.description ? "" : entry.long_description},
      {"Encoding", entry.encoding},
  };
  object(members);
}

}  // namespace peregrine
