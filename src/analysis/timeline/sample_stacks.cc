#include "analysis/timeline/sample_stacks.h"

#include <cstddef>
#include <string>

#include "abi/attr.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"

namespace peregrine {

namespace {

constexpr unsigned kMostFrames = 127;
// Past this many stacks only the innermost function is kept: a hostile recording has as many as samples.
constexpr std::size_t kMostStacks = 2'000'000;

}  // namespace

u32 SampleStacks::frame_of(FrameId id, Resolver& resolver) {
  if (frames_.size() <= id.value) frames_.resize(std::size_t{id.value} + 1);
  u32& known = frames_[id.value];
  if (known != 0) return known - 1;
  const Frame& frame = resolver.at(id);
  const std::string dso = frame.dso ? resolver.machine().dsos().at(frame.dso).short_name : "[unknown]";
  const std::string_view symbol = resolver.symbol_name(frame);
  const u32 name = table_.text(symbol.empty() ? unresolved_name(dso) : std::string(symbol));
  const u32 made = table_.frame({name, table_.text(dso), code_kind(frame_letter(frame.kind), !symbol.empty(), dso)});
  frames_[id.value] = made + 1;
  return made;
}

u32 SampleStacks::stack_of(const ReplaySample& sample, std::string_view comm, Resolver& resolver) {
  chain_.clear();
  if (!sample.sample.callchain.empty())
    resolver.chain(sample.context, sample.sample.callchain, sample.unwound ? ~0U : kMostFrames, chain_);
  else if ((sample.sample.fields & abi::sample_bit::Ip) != 0)
    chain_.push_back(resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode()));
  if (chain_.empty()) return 0;
  if (table_.stack_count() > kMostStacks) chain_.resize(1);
  u32 stack = table_.child(0, table_.frame({table_.text(comm), 0, CodeKind::Comm}));
  for (std::size_t at = chain_.size(); at-- > 0;) stack = table_.child(stack, frame_of(chain_[at], resolver));
  return stack;
}

}  // namespace peregrine
