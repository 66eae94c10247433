// TraceClock: the time at each place of an Intel PT trace, in ticks of the TSC.
//
//   TSC ─▶ exact      TMA, MTC ─▶ at each tick of the crystal      CYC ─▶ in between, by core cycles      CBR ─▶ their
//   length
//
// Between two of these packets it stands still; it never goes back.
#pragma once
#include "auxtrace/intel_pt/packet.h"

namespace peregrine::auxtrace {

// How a processor counts, from the recording.
struct ClockFacts {
  unsigned mtc_shift = 0;           // an MTC packet comes each 2^shift ticks of the crystal
  u64 tsc_per_ctc_numerator = 0;    // TSC ticks per crystal tick; 0: not known
  u64 tsc_per_ctc_denominator = 0;  //
  u64 base_ratio = 0;               // core clock over bus clock at which cycles are TSC ticks (max_nonturbo_ratio)
};

class TraceClock {
 public:
  explicit TraceClock(const ClockFacts& facts) : facts_(facts) {}

  // A full TSC from outside that lies near the next packet's: TSC packets have 56 bits.
  void expect(u64 tsc) { near_ = tsc; }
  // Takes what the packet says of time. False when it says nothing.
  bool take(const Packet& packet);
  // After an overflow: MTC and CYC packets may be missing.
  void lose_packets();

  // Whether that TSC packet may be of this clock: no trace is silent for minutes.
  bool is_near(u64 low) const;

  bool known() const { return known_; }
  u64 ticks() const { return ticks_; }
  u64 cycles() const { return all_cycles_; }  // core cycles that CYC packets told of so far
  bool has_cycles() const { return has_cycles_; }
  u32 ratio() const { return ratio_; }  // of the last CBR; 0: none was there
  // Ticks that so many instructions take, roughly: two each at the base ratio.
  u64 ticks_of(u64 instructions) const;

 private:
  u64 full_tsc(u64 low) const;
  void take_tsc(u64 low);
  void take_mtc(u64 ctc);
  void advance(u64 ticks);
  u64 ticks_of_cycles(u64 cycles) const;
  u64 ticks_of_ctc(u64 ctc) const;

  ClockFacts facts_;
  bool known_ = false, has_ctc_ = false, has_cycles_ = false;
  u64 near_ = 0;
  u64 ticks_ = 0;
  u64 mark_ = 0;        // ticks at the last TSC or MTC
  u64 cycles_ = 0;      // since then
  u64 all_cycles_ = 0;  //
  u64 ctc_ticks_ = 0;   // ticks at the CTC value of the last TMA
  u64 ctc_ = 0;         // CTC ticks since then
  u64 last_ctc_ = 0;    // 8 bits of it, as MTC packets have it
  u32 ratio_ = 0;
};

}  // namespace peregrine::auxtrace
