#include "pipeline/replay/call_site.h"

#include <vector>

#include "machine/tracing_code.h"

namespace peregrine {

namespace {
constexpr unsigned kMostMachinery = 24;  // frames to search for the caller of the tracing code
}

FrameId call_site(const ReplaySample& sample, Resolver& resolver) {
  std::vector<FrameId> frames;
  resolver.chain(sample.context, sample.sample.callchain, kMostMachinery, frames);
  for (const FrameId frame : frames) {
    const Frame& at = resolver.at(frame);
    if (!at.symbol || !is_tracing_code(resolver.symbol_name(at))) return frame;
  }
  return resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
}

}  // namespace peregrine
