#include "analysis/field/chain_names.h"

#include <cstddef>
#include <string_view>

#include "machine/resolver/resolver.h"

namespace peregrine {

std::vector<std::string> chain_names(const ReplaySample& sample, unsigned depth, Resolver& resolver) {
  std::vector<std::string> names;
  if (depth == 0 || sample.sample.callchain.empty()) return names;
  std::vector<FrameId> frames;
  resolver.chain(sample.context, sample.sample.callchain, sample.unwound ? ~0u : depth, frames);
  for (std::size_t i = 0; i < frames.size() && i < depth; ++i) {
    const Frame& frame = resolver.at(frames[i]);
    names.emplace_back(frame.symbol ? resolver.symbol_name(frame) : std::string_view("[unknown]"));
  }
  return names;
}

}  // namespace peregrine
