#include "cmd/event_sources.h"

#include "cmd/event_files.h"

namespace peregrine::cmd {

void configure_sources(const Config& config, EventSources& sources) {
  if (const auto cpuid = config.variable("PERF_CPUID")) sources.cpuid = *cpuid;
  sources.event_files = event_files(config);
}

void tell_problems(const EventSources& sources, Messages& messages) {
  for (const auto& problem : sources.problems()) messages.warning(problem);
}

}  // namespace peregrine::cmd
