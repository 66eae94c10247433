#include "analysis/hist/key/face_table.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <tuple>

#include "analysis/flat_index.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/types.h"

namespace peregrine {

namespace {

// "main.c:12" → "main.c"; empty for the placeholders of unknown lines.
std::string_view file_of_line(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view number = line.substr(colon + 1);
  const bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return digits && !line.starts_with("??") ? line.substr(0, colon) : std::string_view();
}

}  // namespace

FaceTable::FaceTable(const HistFrameTable& frames, Naming& naming, FaceKeys keys) : frames_(frames) {
  const StringId unknown = texts_.intern("[unknown]");
  looks_.reserve(frames.size());
  for (u32 at = 0; at < frames.size(); ++at)
    looks_.push_back(make_look(frames[HistFrameId(at)], unknown, naming, keys));
  make_ranks();
  make_faces(keys);
}

FrameLook FaceTable::make_look(const HistFrame& frame, StringId unknown, Naming& naming, FaceKeys keys) {
  FrameLook look{
      .dso = unknown, .start = frame.address, .end = frame.address, .address = frame.address, .level = frame.level};
  if (frame.line != HistFrame::kNone) {
    const std::string_view line = naming.source(frame.line);
    look.line = texts_.intern(line);
    look.file = texts_.intern(file_of_line(line));
  }
  if (frame.dso == HistFrame::kNone) return look;
  look.dso = texts_.intern(naming.dso(frame.dso));
  look.mapped = true;
  if (keys.dso_size) look.dso_size = naming.dso_size(frame.dso);
  if (frame.symbol != HistFrame::kNone) {
    const Naming::SymbolName symbol = naming.symbol(frame.dso, frame.symbol);
    look.symbol = texts_.intern(symbol.name);
    look.start = symbol.start;
    look.end = symbol.end;
  }
  if (frame.inlined != HistFrame::kNone) {
    look.symbol = texts_.intern(std::string(naming.source(frame.inlined)) + " (inlined)");
    look.inlined = true;
  }
  return look;
}

void FaceTable::make_faces(FaceKeys keys) {
  face_of_frame_.resize(looks_.size());
  FlatIndex index;
  // Symbols are identified by address, not by name: static functions in different files may share a name.
  const auto key = [&](u32 frame) {
    const FrameLook& look = looks_[frame];
    const u32 source = keys.line ? look.line.value : keys.file ? look.file.value : 0;
    return std::tuple(keys.dso || keys.symbol ? look.dso.value : 0, keys.symbol && look.symbol.valid(),
                      keys.symbol ? look.start : look.dso_size,
                      keys.symbol ? look.end
                      : keys.size ? symbol_size(look)
                                  : 0,
                      u64{source} << 32 | (keys.symbol && look.inlined ? look.symbol.value : 0));
  };
  const auto hash = [&](u32 face) {
    const auto [dso, resolved, start, end, source] = key(first_frame_[face]);
    return mix_bits(dso ^ mix_bits(start ^ mix_bits(end + resolved + mix_bits(source))));
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
  // Two unresolved frames compare by address; an unresolved frame and a function by their position in the dso.
  const bool resolved = x.symbol != HistFrame::kNone || y.symbol != HistFrame::kNone;
  const auto place = [&](HistFrameId id, const HistFrame& frame) {
    if (frame.symbol == HistFrame::kNone) return resolved ? frame.dso_address : frame.address;
    return frame.address != 0 ? frame.address : looks_[id.value].start;
  };
  const auto key = [&](HistFrameId id, const HistFrame& frame) {
    const FrameLook& look = looks_[id.value];
    return std::tuple(frame.dso == HistFrame::kNone ? i64{-1} : i64{frame.dso}, place(id, frame), frame.symbol,
                      look.inlined ? rank_[look.symbol.value] + 1 : 0, rank_or_zero(look.line));
  };
  return key(a, x) > key(b, y);
}

}  // namespace peregrine
