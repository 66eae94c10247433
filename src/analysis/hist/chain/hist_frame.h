// HistFrame: one function (or one address) of a dso, and HistFrameTable: each distinct frame kept once, named by a
// 32-bit id.
//
// A resolved frame is (dso, symbol); an unresolved one is (dso, address). A sample's own address is that inside its
// dso, and so is a caller's, but with --no-stripped-functions: linux-perf shows and groups callers by their absolute
// address, which differs from process to process. With address granularity resolved frames keep their address too. A
// function inlined at a frame is a frame of its own, with the name that the SourceTable has for it; where source lines
// are asked for, each frame has its own. One table per worker; merged by content.
#pragma once
#include <vector>

#include "analysis/flat_index.h"
#include "base/container/id.h"

namespace peregrine {

using HistFrameId = Id<struct HistFrameTag>;

struct HistFrame {
  static constexpr u32 kNone = 0xffffffffu;

  u32 dso = kNone;      // index of the dso in its machine; none when no map covers the address
  u32 symbol = kNone;   // index in the dso's symbol table
  u64 address = 0;      // see above; 0 for a resolved frame of function granularity
  u32 inlined = kNone;  // SourceTextId of an inlined function's name; dso and symbol are those that it is inlined into
  u32 line = kNone;     // SourceTextId of the source line or file, or of what stands for it
  char level = '.';     // k kernel, . user, g guest kernel, u guest user, H hypervisor
  u64 dso_address = 0;  // where an unresolved address lies in its dso; not part of what tells frames apart

  friend bool operator==(const HistFrame& a, const HistFrame& b) {
    return a.dso == b.dso && a.symbol == b.symbol && a.address == b.address && a.level == b.level &&
           a.inlined == b.inlined && a.line == b.line;
  }
};

class HistFrameTable {
 public:
  HistFrameId intern(const HistFrame& frame) {
    const u32 id = index_.find_or_add(
        hash(frame), static_cast<u32>(frames_.size()), [&](u32 row) { return frames_[row] == frame; },
        [&](u32 row) { return hash(frames_[row]); });
    if (id == frames_.size()) frames_.push_back(frame);
    return HistFrameId(id);
  }
  const HistFrame& operator[](HistFrameId id) const { return frames_[id.value]; }
  std::size_t size() const { return frames_.size(); }
  std::size_t memory_bytes() const { return frames_.capacity() * sizeof(HistFrame) + index_.memory_bytes(); }

 private:
  static u64 hash(const HistFrame& frame) {
    const u64 source = u64{frame.inlined} << 32 | frame.line;
    return mix_bits((u64{frame.dso} << 32 | frame.symbol) ^
                    mix_bits(frame.address + static_cast<u8>(frame.level) + source * 0x9e3779b97f4a7c15u));
  }

  std::vector<HistFrame> frames_;
  FlatIndex index_;
};

}  // namespace peregrine
