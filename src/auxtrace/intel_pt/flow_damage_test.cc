// Hostile traces: truncated, damaged and in parts. Only the resulting text may differ, and the work is bounded by the
// size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/test_flow.h"
#include "base/bytes.h"
#include "base/types.h"
#include "support/intel_pt_packets.h"
#include "support/perf_data_builder.h"

namespace peregrine::auxtrace {
namespace {

using support::IntelPtPackets;
using support::IpPacket;

// A trace with nearly every kind of packet, for the tests below.
std::vector<std::byte> rich_trace() {
  IntelPtPackets out;
  for (int round = 0; round < 3; ++round) {
    out.psb();
    out.tsc(1000u + 1000u * static_cast<unsigned>(round));
    out.tma(100, 3);
    out.cbr(20);
    out.mode_exec_64();
    if (round != 0) out.ip(IpPacket::Flow, 0x40100f);
    out.psb_end();
    if (round == 0) out.ip(IpPacket::Enable, 0x40100f);
    out.no_ip(IpPacket::Disable);
    out.ip(IpPacket::Enable, 0x401012);
    out.cyc(300);
    out.tnt(1, 1);
    out.ip(IpPacket::Tip, 0x40100d);
    out.ip(IpPacket::Tip, 0x401024);
    out.mtc(101);
    out.tnt(0b10, 2);
    for (int i = 0; i < 2; ++i) {
      out.ip(IpPacket::Tip, 0x401020);
      out.ip(IpPacket::Tip, 0x401026);
    }
    out.ptwrite(7, true);
    out.ip(IpPacket::Flow, 0x401028);
    out.tnt(0b1011010, 7);
    out.ip(IpPacket::Flow, 0x401020);
    out.ip(IpPacket::Tip, 0x401012);
    if (round == 1) out.overflow();
    out.power_entry(3);
    out.power_exit(3);
    out.ip(IpPacket::Flow, 0x401012);
    out.no_ip(IpPacket::Disable);
    out.ip(IpPacket::Enable, 0x40100f);
    out.pad_to(8);
  }
  return out.bytes();
}

BytesOfCode& code() {
  static BytesOfCode one(kFlowCode, support::from_hex(kFlowProgram));
  return one;
}

// The output for a trace that arrives in these parts. The work is bounded by its length.
std::vector<std::string> in_parts(Bytes trace, std::size_t part, bool compressed) {
  FlowText text;
  const u64 asked = code().asked();
  FlowDecoder flow({.clock = {3, 80, 1, 20}, .compressed_returns = compressed}, code(), text);
  for (std::size_t at = 0; at < trace.size(); at += part) {
    flow.feed(trace.subspan(at, std::min(part, trace.size() - at)), 0, false);
    for (u64 until = 500; flow.run(until); until += 500) EXPECT_LT(until, u64{1} << 20) << "no progress";
    while (flow.run(~u64{0})) EXPECT_TRUE(false) << "nothing is behind the end of time";
  }
  EXPECT_LT(code().asked() - asked, 100 * (trace.size() + 100));
  EXPECT_LT(text.lines().size(), 100 * (trace.size() + 100));
  return text.lines();
}

TEST(IntelPtFlowParts, AreTheWhole) {
  const auto trace = rich_trace();
  const auto whole = in_parts(trace, trace.size(), false);
  EXPECT_GT(whole.size(), 40u);
  for (const std::size_t part : {1u, 2u, 7u, 16u, 100u}) EXPECT_EQ(in_parts(trace, part, false), whole) << part;
}

TEST(IntelPtFlowDamage, NoTruncationMatters) {
  const auto trace = rich_trace();
  for (std::size_t size = 0; size < trace.size(); ++size) {
    const auto whole = in_parts(Bytes(trace).first(size), trace.size(), true);
    EXPECT_EQ(in_parts(Bytes(trace).first(size), 7, true), whole) << size;
    in_parts(Bytes(trace).subspan(size), trace.size(), false);
  }
}

TEST(IntelPtFlowDamage, NoChangeOfAByteMatters) {
  auto trace = rich_trace();
  for (std::size_t at = 0; at < trace.size(); ++at) {
    const std::byte was = trace[at];
    for (unsigned value = 0; value < 256; value += 1 + value % 8) {
      trace[at] = static_cast<std::byte>(value);
      const auto whole = in_parts(trace, trace.size(), (value & 1) != 0);
      if (value == at % 256) ASSERT_EQ(in_parts(trace, 1, (value & 1) != 0), whole) << at << " " << value;
    }
    trace[at] = was;
  }
}

}  // namespace
}  // namespace peregrine::auxtrace
