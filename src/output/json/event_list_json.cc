#include "output/json/event_list_json.h"

#include <string>
#include <string_view>

#include "output/json/json_text.h"

namespace peregrine {

void EventListJson::object(std::span<const std::pair<std::string_view, std::string>> members) {
  out_.append(first_ ? "\n{" : ",\n{");
  first_ = false;
  bool first_member = true;
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    out_.format("{}\n\t\"{}\": \"{}\"", first_member ? "" : ",", name, json_escaped(value));
    first_member = false;
  }
  out_.append("\n}");
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
