#include "cmd/events/event_sources.h"

#include <memory>

#include "cmd/recording/guest_settings.h"
#include "probe/type/kernel_enumerations.h"
#include "session/events/event_files.h"
#include "sys/root.h"

namespace peregrine::cmd {
namespace {

// PEREGRINE_EVENTS lists files and folders; without it, the folder is peregrine/events in the user's configuration.
EventFilePlaces event_file_places(const Config& config) {
  EventFilePlaces places;
  if (const auto listed = config.variable("PEREGRINE_EVENTS")) places.listed = *listed;
  std::string base(config.variable("XDG_CONFIG_HOME").value_or(""));
  if (base.empty() && !config.home().empty()) base = config.home() + "/.config";
  if (!base.empty()) places.folder = base + "/peregrine/events";
  return places;
}

}  // namespace

void configure_sources(const Config& config, EventSources& sources) {
  if (const auto cpuid = config.variable("PERF_CPUID")) sources.cpuid = *cpuid;
  sources.event_files = find_event_files(event_file_places(config), Root());
  sources.marker_cache = config.buildid_directory();
  sources.enumerations = std::make_unique<KernelEnumerations>(sources.root());
  sources.guest = wants_guests(config).value_or(false);
  sources.host = wants_hosts(config).value_or(true);
}

void tell_problems(const EventSources& sources, Messages& messages) {
  for (const auto& problem : sources.problems()) messages.warning(problem);
}

std::string open_log_folder(const Config& config) {
  return std::string(config.variable("PERF_TEST_ATTR").value_or(""));
}

}  // namespace peregrine::cmd
