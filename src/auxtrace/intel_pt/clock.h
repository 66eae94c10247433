// TraceClock: the time at each position of an Intel PT trace, in TSC ticks.
//
//   TSC ─▶ exact      TMA, MTC ─▶ at each crystal tick      CYC ─▶ in between, by core cycles      CBR ─▶ the cycles'
//   length
//
// Between these packets time stands still; it never goes back.
#pragma once
#include "auxtrace/intel_pt/packet.h"
#include "base/types.h"

namespace peregrine::auxtrace {

// The processor's clock parameters, from the recording.
struct ClockFacts {
  unsigned mtc_shift = 0;           // an MTC packet every 2^shift crystal ticks
  u64 tsc_per_ctc_numerator = 0;    // TSC ticks per crystal tick; 0 if unknown
  u64 tsc_per_ctc_denominator = 0;  //
  u64 base_ratio = 0;               // core to bus clock ratio at which cycles are TSC ticks (max_nonturbo_ratio)
};

class TraceClock {
 public:
  explicit TraceClock(const ClockFacts& facts) : facts_(facts) {}

  // Sets a full TSC near the next packet's: TSC packets have only 56 bits.
  void expect(u64 tsc) { near_ = tsc; }
  // Applies a packet; returns false if it is not about time.
  bool take(const Packet& packet);
  // Call after an overflow: MTC and CYC packets may be missing.
  void lose_packets();

  // Whether a TSC packet may belong to this clock: no trace is silent for minutes.
  bool is_near(u64 low) const;

  bool known() const { return known_; }
  u64 ticks() const { return ticks_; }
  u64 cycles() const { return all_cycles_; }  // core cycles counted by CYC packets so far
  bool has_cycles() const { return has_cycles_; }
  u32 ratio() const { return ratio_; }  // of the last CBR; 0 if none
  // Estimated ticks for that many instructions: two each at the base ratio.
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
  u64 cycles_ = 0;      // since the mark
  u64 all_cycles_ = 0;  //
  u64 ctc_ticks_ = 0;   // ticks at the CTC value of the last TMA
  u64 ctc_ = 0;         // CTC ticks since the last TMA
  u64 last_ctc_ = 0;    // 8 bits, as in MTC packets
  u32 ratio_ = 0;
};

}  // namespace peregrine::auxtrace
