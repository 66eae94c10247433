#include "cmd/event_sources.h"

namespace peregrine::cmd {

namespace {

void add_place(const std::string& place, std::vector<std::string>& files) {
  const Root root;
  if (!root.is_directory(place)) {
    files.push_back(place);
    return;
  }
  for (const auto& name : root.sorted_names(place))
    if (name.ends_with(".json")) files.push_back(place + '/' + name);
}

}  // namespace

std::vector<std::string> event_files(const Config& config) {
  std::vector<std::string> files;
  if (const auto chosen = config.variable("PEREGRINE_EVENTS")) {
    for (std::string_view rest = *chosen; !rest.empty();) {
      const auto place = rest.substr(0, rest.find(':'));
      if (!place.empty()) add_place(std::string(place), files);
      rest.remove_prefix(std::min(place.size() + 1, rest.size()));
    }
    return files;
  }
  std::string folder;
  if (const auto chosen = config.variable("XDG_CONFIG_HOME"); chosen && chosen->starts_with('/'))
    folder = *chosen;
  else if (!config.home().empty())
    folder = config.home() + "/.config";
  if (!folder.empty() && Root().is_directory(folder + "/peregrine/events"))
    add_place(folder + "/peregrine/events", files);
  return files;
}

void configure_sources(const Config& config, EventSources& sources) {
  if (const auto cpuid = config.variable("PERF_CPUID")) sources.cpuid = *cpuid;
  sources.event_files = event_files(config);
}

void tell_problems(const EventSources& sources, Messages& messages) {
  for (const auto& problem : sources.problems()) messages.warning(problem);
}

}  // namespace peregrine::cmd
