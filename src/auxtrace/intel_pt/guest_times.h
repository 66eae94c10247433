// GuestTimes: the TSC packets that an Intel PT trace has of guests, and what the guests' TSCs are ahead of the host's.
//
//   TSC, TMA of the host ─▶ its TSC at a tick of the crystal ─▶ MTC… ─▶ TSC, TMA of a guest: the host's TSC then, and
//   the offset
//
// The crystal is nobody's: guests see the same CTC. Which packets are a guest's, PIP packets tell; which guest it is,
// VMCS packets. In a PSB+ both come behind the time. Fed with one trace, in order.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "auxtrace/intel_pt/clock.h"

namespace peregrine::auxtrace {

inline constexpr u64 kTscMask = (u64{1} << 56) - 1;   // what a packet has of a TSC
inline constexpr unsigned kTscBytes = 7, kTscAt = 1;  // of a packet: the payload

class GuestTimes {
 public:
  // A TSC packet of a guest.
  struct Time {
    u64 place = 0;              // of the packet, in bytes of the trace since the start
    u64 vmcs = 0;               // page number of the guest's VMCS; 0: not known
    u64 tsc = 0;                // as recorded, 56 bits
    std::optional<u64> offset;  // the guest's TSC minus the host's, 56 bits; nothing: not known
  };

  explicit GuestTimes(const ClockFacts& facts) : facts_(facts) {}

  // The next piece. `gap`: bytes are missing before it.
  void feed(Bytes piece, bool gap);
  // Those found since the last call.
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
  u64 at_ = 0;  // of bytes_ in the trace
  bool in_step_ = false, in_psb_ = false;
  unsigned item_bytes_ = 0;
  std::optional<bool> guest_;  // nothing: not known
  u64 vmcs_ = 0;
  std::optional<Packet> tsc_;  // waits for its TMA, and for what the PSB+ tells
  std::optional<Packet> tma_;
  u64 tsc_place_ = 0;
  // The host's TSC when the CTC was ctc_, and how far it has come since.
  bool has_mark_ = false;
  u64 mark_ = 0, mark_ctc_ = 0, ctc_since_ = 0, last_mtc_ = 0;
  std::vector<Time> times_;
  u64 bad_packets_ = 0;
};

}  // namespace peregrine::auxtrace
