// GuestTimes: finds guests' TSC packets in an Intel PT trace, and the offsets of guest TSCs from the host's.
//
//   TSC, TMA of the host ─▶ its TSC at a tick of the crystal ─▶ MTC… ─▶ TSC, TMA of a guest: the host's TSC then, and
//   the offset
//
// Guests and host see the same crystal clock (CTC). PIP packets say whether packets are a guest's, VMCS packets which
// guest's; in a PSB+ both follow the time. Feed it one trace, in order.
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "auxtrace/intel_pt/clock.h"
#include "auxtrace/intel_pt/packet.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::auxtrace {

inline constexpr u64 kTscMask = (u64{1} << 56) - 1;   // bits of a TSC in a packet
inline constexpr unsigned kTscBytes = 7, kTscAt = 1;  // payload size and offset

class GuestTimes {
 public:
  // A guest's TSC packet.
  struct Time {
    u64 place = 0;              // trace offset of the packet
    u64 vmcs = 0;               // page number of the guest's VMCS; 0 if unknown
    u64 tsc = 0;                // as recorded, 56 bits
    std::optional<u64> offset;  // guest TSC minus host TSC, 56 bits; empty if unknown
  };

  explicit GuestTimes(const ClockFacts& facts) : facts_(facts) {}

  // The next piece. `gap`: bytes are missing before it.
  void feed(Bytes piece, bool gap);
  // The times found since the last call.
  std::vector<Time> take() { return std::exchange(times_, {}); }
  u64 bad_packets() const { return bad_packets_; }

 private:
  void handle(const Packet& packet);
  void end_psb();
  void take_time(const Packet& tsc, std::optional<Packet> tma, u64 place);
  void lose_clock() { has_mark_ = false; }
  u64 ticks_of(u64 ctc) const;

  ClockFacts facts_;
  std::vector<std::byte> bytes_;
  u64 at_ = 0;  // trace offset of bytes_
  bool in_step_ = false, in_psb_ = false;
  unsigned item_bytes_ = 0;
  std::optional<bool> guest_;  // empty: unknown
  u64 vmcs_ = 0;
  std::optional<Packet> tsc_;  // waits for its TMA and the rest of the PSB+
  std::optional<Packet> tma_;
  u64 tsc_place_ = 0;
  // The host's TSC at CTC value ctc_, and the ticks since.
  bool has_mark_ = false;
  u64 mark_ = 0, mark_ctc_ = 0, ctc_since_ = 0, last_mtc_ = 0;
  std::vector<Time> times_;
  u64 bad_packets_ = 0;
};

}  // namespace peregrine::auxtrace
