// FaceTable: the texts and sort order of each frame of a Hists under the current sort keys.
//
// Frames that no key distinguishes share a face: by dso only, all functions of a dso are one. Dsos with the same name
// are one. An inlined function is a separate symbol in each function that contains it.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/naming.h"
#include "base/container/id.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {

using FaceId = Id<struct FaceTag>;

// One frame's texts, as in report's Symbol and Shared Object columns.
struct FrameLook {
  StringId dso;     // "[unknown]" if no map covers the address
  StringId symbol;  // invalid: unresolved, shown as its address; inlined functions end in " (inlined)"
  StringId line;    // source line, if requested
  StringId file;    // source file, if requested
  u64 start = 0;    // of the symbol; the address of an unresolved frame
  u64 end = 0;
  u64 address = 0;   // as in HistFrame
  u64 dso_size = 0;  // if requested; 0: unknown
  char level = '.';
  bool mapped = false;  // has a dso
  bool inlined = false;
};

// 0 if unknown.
inline u64 symbol_size(const FrameLook& look) { return look.symbol.valid() ? look.end - look.start : 0; }

// The frame sort keys in use.
struct FaceKeys {
  bool dso = false, symbol = false, line = false, file = false, size = false, dso_size = false;
};

class FaceTable {
 public:
  // Looks up every frame of `frames`.
  FaceTable(const HistFrameTable& frames, Naming& naming, FaceKeys keys);

  FaceId face(HistFrameId frame) const { return FaceId(face_of_frame_[frame.value]); }
  const FrameLook& look(HistFrameId frame) const { return looks_[frame.value]; }
  // The first frame with that face.
  const FrameLook& look(FaceId face) const { return looks_[first_frame_[face.value]]; }
  HistFrameId frame(FaceId face) const { return HistFrameId(first_frame_[face.value]); }
  std::size_t size() const { return first_frame_.size(); }
  std::string_view text(StringId id) const { return texts_.view(id); }

  // Alphabetical rank; unknown dsos and unresolved symbols rank last and equal.
  u32 dso_rank(HistFrameId frame) const { return look(frame).mapped ? rank_[look(frame).dso.value] : 0xffffffffu; }
  u32 symbol_rank(HistFrameId frame) const {
    const StringId symbol = look(frame).symbol;
    return symbol.valid() ? rank_[symbol.value] : 0xffffffffu;
  }
  u32 dso_rank(FaceId face) const { return dso_rank(HistFrameId(first_frame_[face.value])); }
  u32 symbol_rank(FaceId face) const { return symbol_rank(HistFrameId(first_frame_[face.value])); }
  u32 line_rank(HistFrameId frame) const { return rank_or_zero(look(frame).line); }
  u32 line_rank(FaceId face) const { return rank_or_zero(look(face).line); }
  u32 file_rank(FaceId face) const { return rank_or_zero(look(face).file); }
  // Order of equal siblings in a call graph: descending by (dso, start), as in linux-perf's trees.
  bool sibling_before(HistFrameId a, HistFrameId b) const;

 private:
  FrameLook make_look(const HistFrame& frame, StringId unknown, Naming& naming, FaceKeys keys);
  u32 rank_or_zero(StringId text) const { return text.valid() ? rank_[text.value] + 1 : 0; }
  void make_faces(FaceKeys keys);
  void make_ranks();

  const HistFrameTable& frames_;
  StringPool texts_;
  std::vector<FrameLook> looks_;  // by frame
  std::vector<u32> face_of_frame_;
  std::vector<u32> first_frame_;  // by face
  std::vector<u32> rank_;         // by StringId
};

}  // namespace peregrine
