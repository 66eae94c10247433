// The TSCs of guests in a trace: a crystal tick is 80 TSC ticks, and an MTC packet comes every 8 crystal ticks.
#include "auxtrace/intel_pt/guest_times.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/intel_pt_packets.h"

namespace peregrine::auxtrace {
namespace {

constexpr ClockFacts kGuestFacts = {.mtc_shift = 3, .tsc_per_ctc_numerator = 80, .tsc_per_ctc_denominator = 1};
constexpr u64 kOffset = 0xffffe42722c64c41u & kTscMask;
constexpr u64 kVmcs = 0x1bff6a;

// A PSB+ at a crystal tick.
void put_psb(support::IntelPtPackets& packets, u64 crystal, bool guest, bool tma = true) {
  const u64 host = 1'000'000 + crystal * 80 + 7;
  packets.psb();
  packets.tsc(guest ? (host + kOffset) & kTscMask : host);
  if (tma) packets.tma(crystal, 7);
  packets.pip(0x1000, guest);
  if (guest) packets.vmcs(kVmcs << 12);
  packets.psb_end();
}

std::vector<GuestTimes::Time> times_of(const support::IntelPtPackets& packets, std::size_t piece) {
  GuestTimes times(kGuestFacts);
  std::vector<GuestTimes::Time> all;
  const Bytes bytes(packets.bytes());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    times.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)), false);
    for (const auto& time : times.take()) all.push_back(time);
  }
  EXPECT_EQ(times.bad_packets(), 0u);
  return all;
}

TEST(GuestTimes, TellsTheOffsetOfAGuest) {
  support::IntelPtPackets packets;
  put_psb(packets, 100, false);
  const std::size_t place = packets.size() + 16;  // after the PSB
  put_psb(packets, 250, true);
  for (const std::size_t piece : {packets.size(), std::size_t{1}, std::size_t{7}}) {
    const auto times = times_of(packets, piece);
    ASSERT_EQ(times.size(), 1u);
    EXPECT_EQ(times[0].place, place);
    EXPECT_EQ(times[0].vmcs, kVmcs);
    EXPECT_EQ(times[0].tsc, (1'000'000 + 250 * 80 + 7 + kOffset) & kTscMask);
    EXPECT_EQ(times[0].offset, kOffset);
  }
}

TEST(GuestTimes, CountsTheCrystalBeyondTheRangeOfATma) {
  support::IntelPtPackets packets;
  put_psb(packets, 0xfff0, false);
  for (u64 crystal = 0xfff0; crystal <= 0x3'0008; crystal += 8) packets.mtc(crystal >> 3 & 0xff);
  put_psb(packets, 0x3'0009, true);
  const auto times = times_of(packets, packets.size());
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].offset, kOffset);
}

TEST(GuestTimes, DoesNotGuessWithoutTheCrystalOrAfterALoss) {
  support::IntelPtPackets packets;
  put_psb(packets, 100, false, false);
  put_psb(packets, 250, true);
  put_psb(packets, 300, false);
  packets.overflow();
  put_psb(packets, 400, true);
  const auto times = times_of(packets, packets.size());
  ASSERT_EQ(times.size(), 2u);
  for (const auto& time : times) EXPECT_FALSE(time.offset);
}

}  // namespace
}  // namespace peregrine::auxtrace
