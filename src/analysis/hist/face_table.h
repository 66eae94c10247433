// FaceTable: how each frame of a Hists looks and sorts under the sort keys in use.
//
// Frames that no key tells apart share one face: by dso only, all functions of a dso are one. Dsos of one name are one.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/hist/hists.h"
#include "analysis/hist/naming.h"
#include "base/string_pool.h"

namespace peregrine {

using FaceId = Id<struct FaceTag>;

// One frame's texts; what report's Symbol and Shared Object columns show.
struct FrameLook {
  StringId dso;     // "[unknown]" when no map covers the address
  StringId symbol;  // invalid: unresolved, shown as its address
  u64 start = 0;    // of the symbol; the address of an unresolved frame
  u64 end = 0;
  u64 address = 0;  // as in HistFrame
  char level = '.';
  bool mapped = false;  // has a dso
};

class FaceTable {
 public:
  // Looks up every frame of `frames`; by_dso and by_symbol: whether such a key is in use.
  FaceTable(const HistFrameTable& frames, Naming& naming, bool by_dso, bool by_symbol);

  FaceId face(HistFrameId frame) const { return FaceId(face_of_frame_[frame.value]); }
  const FrameLook& look(HistFrameId frame) const { return looks_[frame.value]; }
  // The first frame with that face.
  const FrameLook& look(FaceId face) const { return looks_[first_frame_[face.value]]; }
  std::size_t size() const { return first_frame_.size(); }
  std::string_view text(StringId id) const { return texts_.view(id); }

  // Positions in alphabetical order; unknown dsos and unresolved symbols come last, all alike.
  u32 dso_rank(HistFrameId frame) const { return look(frame).mapped ? rank_[look(frame).dso.value] : 0xffffffffu; }
  u32 symbol_rank(HistFrameId frame) const {
    const StringId symbol = look(frame).symbol;
    return symbol.valid() ? rank_[symbol.value] : 0xffffffffu;
  }
  u32 dso_rank(FaceId face) const { return dso_rank(HistFrameId(first_frame_[face.value])); }
  u32 symbol_rank(FaceId face) const { return symbol_rank(HistFrameId(first_frame_[face.value])); }
  // Order of equal siblings in a call graph: descending by (dso, start), as linux-perf's trees are kept.
  bool sibling_before(HistFrameId a, HistFrameId b) const;

 private:
  void make_faces(bool by_dso, bool by_symbol);
  void make_ranks();

  const HistFrameTable& frames_;
  StringPool texts_;
  std::vector<FrameLook> looks_;  // by frame
  std::vector<u32> face_of_frame_;
  std::vector<u32> first_frame_;  // by face
  std::vector<u32> rank_;         // by StringId
};

}  // namespace peregrine
