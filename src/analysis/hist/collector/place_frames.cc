#include "analysis/hist/collector/place_frames.h"

#include <algorithm>
#include <cstddef>

#include "abi/record.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

HistFrameId PlaceFrames::find(HistFrameTable& frames, Resolver& resolver, FrameId place) {
  if (place.value >= known_.size())
    known_.resize(std::max<std::size_t>(resolver.frame_count(), place.value + 1), HistFrameId::kNone);
  u32& known = known_[place.value];
  if (known == HistFrameId::kNone) {
    const Frame& at = resolver.at(place);
    HistFrame seen{.dso = at.dso ? at.dso.value : HistFrame::kNone, .level = frame_letter(at.kind)};
    if (at.symbol) seen.symbol = at.symbol.value;
    if (!at.symbol || addresses_) seen.address = seen.dso_address = at.address;
    if (lines_) seen.line = sources_->shown_line(resolver, at).value;
    known = frames.intern(seen).value;
  }
  return HistFrameId(known);
}

HistFrameId data_frame(HistFrameTable& frames, Resolver& resolver, const Resolver::Context& context, u64 address) {
  const u16 half = address >> 63 != 0 ? abi::misc_bit::Kernel : abi::misc_bit::User;
  const Frame& at = resolver.at(resolver.frame(context, address, half));
  HistFrame seen{.dso = at.dso ? at.dso.value : HistFrame::kNone, .level = frame_letter(at.kind)};
  if (at.symbol) seen.symbol = at.symbol.value;
  seen.address = at.symbol ? at.address : address;
  seen.dso_address = at.address;
  return frames.intern(seen);
}

}  // namespace peregrine
