#include "cmd/events/event_sources.h"

#include "cmd/events/event_files.h"
#include "cmd/recording/guest_settings.h"
#include "probe/type/kernel_enumerations.h"

namespace peregrine::cmd {

void configure_sources(const Config& config, EventSources& sources) {
  if (const auto cpuid = config.variable("PERF_CPUID")) sources.cpuid = *cpuid;
  sources.event_files = event_files(config);
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
