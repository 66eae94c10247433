#include "auxtrace/intel_pt/clock.h"

#include <algorithm>

#include "base/types.h"

namespace peregrine::auxtrace {
namespace {

__extension__ using Wide = unsigned __int128;

u64 scale(u64 value, u64 numerator, u64 denominator) {
  return denominator == 0 ? 0 : static_cast<u64>(Wide{value} * numerator / denominator);
}

}  // namespace

u64 TraceClock::ticks_of_cycles(u64 cycles) const {
  return ratio_ == 0 || facts_.base_ratio == 0 ? cycles : scale(cycles, facts_.base_ratio, ratio_);
}

u64 TraceClock::ticks_of_ctc(u64 ctc) const {
  return scale(ctc, facts_.tsc_per_ctc_numerator, facts_.tsc_per_ctc_denominator);
}

u64 TraceClock::ticks_of(u64 instructions) const { return ticks_of_cycles(2 * instructions); }

void TraceClock::advance(u64 ticks) { ticks_ = std::max(ticks_, ticks); }

// Returns the full value nearest to the known time.
u64 TraceClock::full_tsc(u64 low) const {
  // A TSC packet has the low 56 bits.
  constexpr u64 kRange = u64{1} << 56;
  const u64 base = known_ ? ticks_ : near_;
  u64 full = (base & ~(kRange - 1)) | low;
  if (full + kRange / 2 < base) {
    full += kRange;
  } else if (full > base && full - base > kRange / 2 && full >= kRange) {
    full -= kRange;
  }
  return full;
}

bool TraceClock::is_near(u64 low) const {
  constexpr u64 kFar = u64{1} << 40;
  const u64 full = full_tsc(low), base = known_ ? ticks_ : near_;
  return (full > base ? full - base : base - full) < kFar;
}

void TraceClock::take_tsc(u64 low) {
  const u64 full = full_tsc(low);
  known_ = true;
  has_ctc_ = false;
  mark_ = full;
  cycles_ = 0;
  advance(full);
}

void TraceClock::take_mtc(u64 ctc) {
  if (!has_ctc_) return;
  // An MTC packet has 8 bits that wrap. The difference is right unless 256 of them were lost.
  ctc_ += ((ctc - last_ctc_) & 0xff) << facts_.mtc_shift;
  last_ctc_ = ctc;
  mark_ = ctc_ticks_ + ticks_of_ctc(ctc_);
  cycles_ = 0;
  advance(mark_);
}

bool TraceClock::take(const Packet& packet) {
  switch (packet.type) {
    case PacketType::Tsc:
      take_tsc(packet.payload);
      return true;
    case PacketType::Tma:
      // The TMA packet has the CTC at this TSC and how many ticks ago the CTC reached that value. An MTC packet has
      // the 8 bits above `mtc_shift`.
      has_ctc_ = known_ && facts_.tsc_per_ctc_denominator != 0;
      last_ctc_ = packet.payload >> facts_.mtc_shift & 0xff;
      ctc_ = 0;
      ctc_ticks_ = mark_ - packet.count - ticks_of_ctc(packet.payload & ((u64{1} << facts_.mtc_shift) - 1));
      return true;
    case PacketType::Mtc:
      take_mtc(packet.payload);
      return true;
    case PacketType::Cyc:
      has_cycles_ = true;
      all_cycles_ += packet.payload;
      cycles_ += packet.payload;
      if (known_) advance(mark_ + ticks_of_cycles(cycles_));
      return true;
    case PacketType::Cbr:
      ratio_ = static_cast<u32>(packet.payload);
      return true;
    default:
      return false;
  }
}

// How often the bits of MTC packets wrapped meanwhile is unknown, so they count again only after the next TMA.
void TraceClock::lose_packets() { has_ctc_ = false; }

}  // namespace peregrine::auxtrace
