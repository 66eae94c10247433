// HistFrame: one function (or address) of a dso. HistFrameTable: stores each distinct frame once, under a 32-bit id.
//
// A resolved frame is (dso, symbol), an unresolved one (dso, address). The address of a sample is the dso address; so
// is a caller's with --no-stripped-functions, but otherwise linux-perf shows and groups callers by their absolute
// address, which differs between processes. With address granularity resolved frames keep their address too. A function
// inlined at a frame is a separate frame, named by the SourceTable; if source lines are requested, each frame has one.
// One table per worker; merged by content.
#pragma once
#include <cstddef>
#include <vector>

#include "analysis/flat_index.h"
#include "base/container/id.h"
#include "base/types.h"

namespace peregrine {

using HistFrameId = Id<struct HistFrameTag>;

struct HistFrame {
  static constexpr u32 kNone = 0xffffffffu;

  u32 dso = kNone;      // index of the dso in its machine; kNone if no map covers the address
  u32 symbol = kNone;   // index in the dso's symbol table
  u64 address = 0;      // see above; 0 for resolved frames at function granularity
  u32 inlined = kNone;  // SourceTextId of an inlined function's name; dso and symbol are the enclosing function's
  u32 line = kNone;     // SourceTextId of the source line or file, or of a placeholder
  char level = '.';     // k kernel, . user, g guest kernel, u guest user, H hypervisor
  u64 dso_address = 0;  // dso address of an unresolved frame; not part of its identity

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
