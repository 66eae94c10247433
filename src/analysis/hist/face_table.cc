#include "analysis/hist/face_table.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace peregrine {

FaceTable::FaceTable(const HistFrameTable& frames, Naming& naming, bool by_dso, bool by_symbol) : frames_(frames) {
  const StringId unknown = texts_.intern("[unknown]");
  looks_.reserve(frames.size());
  for (u32 at = 0; at < frames.size(); ++at) {
    const HistFrame& frame = frames[HistFrameId(at)];
    FrameLook look{
        .dso = unknown, .start = frame.address, .end = frame.address, .address = frame.address, .level = frame.level};
    if (frame.dso != HistFrame::kNone) {
      look.dso = texts_.intern(naming.dso(frame.dso));
      look.mapped = true;
      if (frame.symbol != HistFrame::kNone) {
        const Naming::SymbolName symbol = naming.symbol(frame.dso, frame.symbol);
        look.symbol = texts_.intern(symbol.name);
        look.start = symbol.start;
        look.end = symbol.end;
      }
    }
    looks_.push_back(look);
  }
  make_ranks();
  make_faces(by_dso, by_symbol);
}

void FaceTable::make_faces(bool by_dso, bool by_symbol) {
  face_of_frame_.resize(looks_.size());
  FlatIndex index;
  // Symbols are told apart by where they lie, not by name: two static functions of one name are two.
  const auto key = [&](u32 frame) {
    const FrameLook& look = looks_[frame];
    return std::tuple(by_dso || by_symbol ? look.dso.value : 0, by_symbol && look.symbol.valid(),
                      by_symbol ? look.start : 0, by_symbol ? look.end : 0);
  };
  const auto hash = [&](u32 face) {
    const auto [dso, resolved, start, end] = key(first_frame_[face]);
    return mix_bits(dso ^ mix_bits(start ^ mix_bits(end + resolved)));
  };
  for (u32 frame = 0; frame < looks_.size(); ++frame) {
    first_frame_.push_back(frame);
    const u32 fresh = static_cast<u32>(first_frame_.size() - 1);
    const u32 face =
        index.find_or_add(hash(fresh), fresh, [&](u32 other) { return key(first_frame_[other]) == key(frame); }, hash);
    if (face != fresh) first_frame_.pop_back();
    face_of_frame_[frame] = face;
  }
}

void FaceTable::make_ranks() {
  std::vector<u32> order(texts_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](u32 id) { return texts_.view(StringId(id)); });
  rank_.resize(order.size());
  for (u32 at = 0; at < order.size(); ++at) rank_[order[at]] = at;
}

bool FaceTable::sibling_before(HistFrameId a, HistFrameId b) const {
  const HistFrame& x = frames_[a];
  const HistFrame& y = frames_[b];
  // Two addresses compare as such; an address and a function by where they lie in their dso.
  const bool resolved = x.symbol != HistFrame::kNone || y.symbol != HistFrame::kNone;
  const auto place = [&](HistFrameId id, const HistFrame& frame) {
    if (frame.symbol == HistFrame::kNone) return resolved ? frame.dso_address : frame.address;
    return frame.address != 0 ? frame.address : looks_[id.value].start;
  };
  const auto key = [&](HistFrameId id, const HistFrame& frame) {
    return std::tuple(frame.dso == HistFrame::kNone ? i64{-1} : i64{frame.dso}, place(id, frame), frame.symbol);
  };
  return key(a, x) > key(b, y);
}

}  // namespace peregrine
