// What a processor executed, reconstructed from its packets: real code, hand-written packets, and branches as text.
#include "auxtrace/intel_pt/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "auxtrace/intel_pt/test_flow.h"
#include "support/intel_pt_packets.h"
#include "support/perf_data_builder.h"

namespace peregrine::auxtrace {
namespace {

using support::IntelPtPackets;
using support::IpPacket;
using ::testing::ElementsAre;

// Packets and the decoder's output; starts with a PSB without an address.
class IntelPtFlow : public ::testing::Test {
 protected:
  IntelPtFlow() {
    packets.psb();
    packets.psb_end();
  }
  void enable(u64 ip) { packets.ip(IpPacket::Enable, ip); }
  void tip(u64 ip) { packets.ip(IpPacket::Tip, ip); }
  void fup(u64 ip) { packets.ip(IpPacket::Flow, ip); }

  // The output without the line of the first PSB.
  std::vector<std::string> decode(FlowFacts facts = {}) {
    BytesOfCode code(kFlowCode, support::from_hex(kFlowProgram));
    FlowText text;
    FlowDecoder flow(facts, code, text);
    flow.feed(packets.bytes(), 0, false);
    EXPECT_FALSE(flow.run(~u64{0}));
    instructions = text.instructions();
    std::vector<std::string> lines = text.lines();
    EXPECT_FALSE(lines.empty());
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }

  IntelPtPackets packets;
  u64 instructions = 0;
};

TEST_F(IntelPtFlow, FollowsTakenBranchesAndOthers) {
  enable(0x401000);
  packets.tnt(0b01, 1);  // taken
  tip(0x40100d);         // ret
  tip(0x401000);         // jmp *%rax
  packets.tnt(0b0, 1);
  tip(0x40100d);
  EXPECT_THAT(decode(),
              ElementsAre("0 → 401000 begin", "401001 → 401006 jcc", "401008 → 401020 call", "401021 → 40100d return",
                          "40100d → 401000", "401004 → 401008", "401008 → 401020 call", "401021 → 40100d return"));
  EXPECT_EQ(instructions, 2u + 3 + 2 + 1 + 2 + 2 + 1 + 2);
}

TEST_F(IntelPtFlow, EndsAndBeginsAtSystemCalls) {
  enable(0x40100f);
  packets.no_ip(IpPacket::Disable);
  enable(0x401012);
  packets.tnt(1, 1);
  EXPECT_THAT(decode(), ElementsAre("0 → 40100f begin", "401010 → 0 call syscall end", "0 → 401012 begin",
                                    "401013 → 401000", "401001 → 401006 jcc"));
}

TEST_F(IntelPtFlow, PassesOverGuests) {
  enable(0x40100f);
  packets.pip(0x1000, true);  // by the instruction at 10
  tip(0xffffffff81000010);
  packets.tnt(0b101, 3);
  fup(0xffffffff81000020);
  tip(0xffffffff81000400);
  fup(0xffffffff81000410);  // what ended its turn
  packets.pip(0x2000, false);
  tip(0x401012);
  packets.tnt(1, 1);
  EXPECT_THAT(decode(), ElementsAre("0 → 40100f begin", "401010 → 0 call syscall", "0 → 401012 begin",
                                    "401013 → 401000", "401001 → 401006 jcc"));
}

TEST_F(IntelPtFlow, BeginsInAGuest) {
  packets.psb();
  packets.pip(0x1000, true);
  fup(0xffffffff81000010);
  packets.psb_end();
  packets.tnt(0b1, 1);
  fup(0xffffffff81000410);
  packets.pip(0x2000, false);
  tip(0x401012);
  packets.tnt(1, 1);
  EXPECT_THAT(decode(), ElementsAre("psb 0", "0 → 401012 begin", "401013 → 401000", "401001 → 401006 jcc"));
}

TEST_F(IntelPtFlow, ABranchOutOfWhatIsTracedEndsIt) {
  enable(0x401012);
  packets.ip(IpPacket::Disable, 0x401000);  // by the direct jump
  EXPECT_THAT(decode(), ElementsAre("0 → 401012 begin", "401013 → 401000 end"));
}

// 24 calls, and 26 loops back to it: the results of several rounds may precede the targets of the calls.
TEST_F(IntelPtFlow, TargetsMayComeBehindResults) {
  enable(0x401024);
  packets.tnt(0b10, 2);
  tip(0x401020);
  tip(0x401026);
  tip(0x401020);
  tip(0x401026);
  tip(0x401020);  // the call at 28 went directly to it, and its ret to …
  EXPECT_THAT(decode(), ElementsAre("0 → 401024 begin", "401024 → 401020 call", "401021 → 401026 return",
                                    "401026 → 401024 jcc", "401024 → 401020 call", "401021 → 401026 return",
                                    "401028 → 401020 call", "401021 → 401020 return"));
}

TEST_F(IntelPtFlow, ReturnsMayBeToldLikeTakenBranches) {
  enable(0x401024);
  tip(0x401020);
  packets.tnt(0b10, 2);  // ret; jne not taken
  packets.tnt(0b1, 1);   // ret of the direct call
  EXPECT_THAT(decode({.compressed_returns = true}),
              ElementsAre("0 → 401024 begin", "401024 → 401020 call", "401021 → 401026 return", "401028 → 401020 call",
                          "401021 → 40102d return"));
}

TEST_F(IntelPtFlow, ACompressedReturnNeedsItsCall) {
  enable(0x401020);
  packets.tnt(0b1, 1);
  EXPECT_THAT(decode({.compressed_returns = true}), ElementsAre("0 → 401020 begin", "error 6 401020"));
}

// A PSB resets return compression; the next return is traced in full.
TEST_F(IntelPtFlow, APsbForgetsTheCalls) {
  enable(0x401028);
  fup(0x401020);  // not a branch: an interrupt, and the return from it
  tip(0x401012);
  packets.psb();
  fup(0x401012);
  packets.psb_end();
  packets.tnt(0b1, 1);
  tip(0x40102d);
  EXPECT_THAT(decode({.compressed_returns = true}),
              ElementsAre("0 → 401028 begin", "401028 → 401020 call", "401020 → 401012 call async int", "psb 401012",
                          "401013 → 401000", "401001 → 401006 jcc", "401008 → 401020 call", "401021 → 40102d return"));
}

TEST_F(IntelPtFlow, InterruptsStrikeBetweenInstructions) {
  enable(0x401000);
  packets.tnt(1, 1);
  fup(0x401007);
  tip(0x401012);
  packets.tnt(0, 1);
  EXPECT_THAT(decode(), ElementsAre("0 → 401000 begin", "401001 → 401006 jcc", "401007 → 401012 call async int",
                                    "401013 → 401000"));
  EXPECT_EQ(instructions, 2u + 1 + 2 + 2);
}

TEST_F(IntelPtFlow, InterruptsMayLeadOutOfTheTrace) {
  enable(0x401000);
  packets.tnt(0, 1);
  fup(0x401004);
  packets.no_ip(IpPacket::Disable);
  enable(0x401004);
  EXPECT_THAT(decode(), ElementsAre("0 → 401000 begin", "401004 → 0 async end", "0 → 401004 begin"));
}

// The target follows what a FUP announces; another packet in between cancels it.
TEST_F(IntelPtFlow, AnInterruptThatLeadsNowhereIsForgotten) {
  enable(0x401000);
  fup(0x401000);
  packets.tnt(1, 1);
  tip(0x40100d);
  EXPECT_THAT(decode(),
              ElementsAre("0 → 401000 begin", "401001 → 401006 jcc", "401008 → 401020 call", "401021 → 40100d return"));
}

TEST_F(IntelPtFlow, BeginsAtTheAddressOfAPsb) {
  IntelPtPackets late;
  late.tnt(0b11, 2);  // belongs to what came before
  late.ip(IpPacket::Tip, 0x401020);
  late.psb();
  late.mode_exec_64();
  late.ip(IpPacket::Flow, 0x401000);
  late.psb_end();
  late.tnt(1, 1);
  BytesOfCode code(kFlowCode, support::from_hex(kFlowProgram));
  FlowText text;
  FlowDecoder flow({}, code, text);
  flow.feed(late.bytes(), 0, false);
  EXPECT_FALSE(flow.run(~u64{0}));
  EXPECT_THAT(text.lines(), ElementsAre("psb 401000", "401001 → 401006 jcc"));
}

TEST_F(IntelPtFlow, APsbInTheMiddleChangesNothing) {
  enable(0x401000);
  packets.psb();
  packets.tsc(5);
  packets.cbr(20);
  fup(0x401000);
  packets.psb_end();
  packets.tnt(1, 1);
  fup(0x401007);
  packets.psb();
  fup(0x401007);
  packets.psb_end();
  tip(0x401020);
  EXPECT_THAT(decode(), ElementsAre("0 → 401000 begin", "psb 401000", "event 14 14 401000", "401001 → 401006 jcc",
                                    "psb 401007", "401007 → 401020 call async int"));
}

TEST_F(IntelPtFlow, APsbWithoutAnEndIsOverAtTheNextBranch) {
  packets.psb();
  fup(0x401000);
  packets.tnt(1, 1);
  fup(0x401007);
  tip(0x401020);
  EXPECT_THAT(decode(), ElementsAre("psb 401000", "401001 → 401006 jcc", "401007 → 401020 call async int"));
}

TEST_F(IntelPtFlow, AfterAnOverflowTheNextAddressGoesOn) {
  enable(0x401000);
  packets.overflow();
  packets.tnt(0b111, 3);  // of an unknown event
  fup(0x401010);
  packets.no_ip(IpPacket::Disable);
  EXPECT_THAT(decode(),
              ElementsAre("0 → 401000 begin", "error 7 401000", "0 → 401010 begin", "401010 → 0 call syscall end"));
}

// Whatever continued after the overflow, the next FUP is an interrupt again.
TEST_F(IntelPtFlow, AnOverflowIsOverWhereTracingGoesOn) {
  enable(0x401000);
  packets.overflow();
  tip(0x401006);
  fup(0x401007);
  tip(0x401012);
  EXPECT_THAT(decode(),
              ElementsAre("0 → 401000 begin", "error 7 401000", "0 → 401006 begin", "401007 → 401012 call async int"));
}

TEST_F(IntelPtFlow, WithoutCodeItWaitsForAWholeAddress) {
  enable(0x500000);
  packets.tnt(0b101010, 6);
  packets.tnt(0b101010, 6);
  enable(0x500010);  // a part of one
  packets.tnt(0b101010, 6);
  packets.whole_ip(IpPacket::Enable, 0x401017);  // bytes that are not an instruction
  packets.tnt(1, 1);
  packets.whole_ip(IpPacket::Tip, 0x401000);
  packets.tnt(1, 1);
  EXPECT_THAT(decode(), ElementsAre("0 → 500000 begin", "error 5 500000", "0 → 401017 begin", "error 5 401017",
                                    "0 → 401000 begin", "401001 → 401006 jcc"));
}

TEST_F(IntelPtFlow, TellsWhereTraceAndCodeDiffer) {
  enable(0x401000);
  tip(0x401000);  // but there is a je
  EXPECT_THAT(decode(), ElementsAre("0 → 401000 begin", "error 6 401001"));
}

TEST_F(IntelPtFlow, ReportsBranchResultInPlaceOfTarget) {
  enable(0x40100d);
  packets.tnt(1, 1);  // jmp *%rax waits for its target
  packets.tnt(1, 1);
  packets.whole_ip(IpPacket::Enable, 0x40100d);
  packets.tnt(1, 1);
  fup(0x401000);
  EXPECT_THAT(decode(), ElementsAre("0 → 40100d begin", "error 6 40100d", "0 → 40100d begin", "error 6 40100d"));
}

TEST_F(IntelPtFlow, AnEndlessLoopIsSeenSoon) {
  enable(0x401022);
  packets.tnt(1, 1);
  const auto lines = decode();
  EXPECT_EQ(lines.front(), "0 → 401022 begin");
  EXPECT_EQ(lines.back(), "error 10 401022");
  EXPECT_LT(lines.size(), 8u);
}

TEST_F(IntelPtFlow, ContinuesLoopWithMoreResults) {
  enable(0x401012);
  for (int round = 0; round < 10'000; ++round) {
    packets.tnt(1, 1);
    tip(0x401012);  // ret
  }
  const auto lines = decode();
  EXPECT_EQ(lines.size(), 1u + 4 * 10'000);
  EXPECT_THAT(lines, ::testing::Not(::testing::Contains(::testing::HasSubstr("error"))));
}

TEST_F(IntelPtFlow, AbortsOfTransactionsLeadBack) {
  enable(0x401000);
  const std::vector<std::byte> begun = {std::byte{0x99}, std::byte{0x21}}, aborted = {std::byte{0x99}, std::byte{0x22}};
  std::vector<std::byte> bytes = packets.bytes();
  const auto put = [&](const std::vector<std::byte>& more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  put(begun);
  put(support::from_hex("3d0010"));  // FUP 401000
  put(support::from_hex("06"));      // taken
  put(aborted);
  put(support::from_hex("3d0710"));  // FUP 401007
  put(support::from_hex("2d1210"));  // TIP 401012
  BytesOfCode code(kFlowCode, support::from_hex(kFlowProgram));
  FlowText text;
  FlowDecoder flow({}, code, text);
  flow.feed(bytes, 0, false);
  flow.run(~u64{0});
  EXPECT_THAT(text.lines(),
              ElementsAre("psb 0", "0 → 401000 begin", "401001 → 401006 jcc tx", "401007 → 401012 call async abort"));
}

TEST_F(IntelPtFlow, EventsStandWhereTheyWere) {
  packets.cbr(20);
  enable(0x401000);
  packets.ptwrite(0x77, true);
  fup(0x401000);
  packets.ptwrite(0x78, false);
  packets.tnt(1, 1);
  packets.power_entry(6);
  EXPECT_THAT(decode(), ElementsAre("event 14 14 0", "0 → 401000 begin", "event 22 77 401000", "event 22 78 401000",
                                    "401001 → 401006 jcc", "event 25 6000 401006"));
}

TEST_F(IntelPtFlow, ABadPacketIsSkippedToTheNextPsb) {
  enable(0x401000);
  packets.mtc(0);
  packets.no_ip(static_cast<IpPacket>(0x05));
  packets.tnt(1, 1);
  packets.psb();
  fup(0x401012);
  packets.psb_end();
  packets.tnt(0, 1);
  EXPECT_THAT(decode(), ElementsAre("0 → 401000 begin", "error 3 401000", "psb 401012", "401013 → 401000"));
}

TEST_F(IntelPtFlow, ReportsGapAndResynchronizes) {
  enable(0x401000);
  BytesOfCode code(kFlowCode, support::from_hex(kFlowProgram));
  FlowText text;
  FlowDecoder flow({}, code, text);
  const auto bytes = packets.bytes();
  flow.feed(Bytes(bytes).first(bytes.size() - 2), 0, false);
  EXPECT_FALSE(flow.run(~u64{0}));
  flow.feed(bytes, 0, true);
  EXPECT_FALSE(flow.run(~u64{0}));
  EXPECT_THAT(text.lines(), ElementsAre("psb 0", "error 8 0", "psb 0", "0 → 401000 begin"));
  EXPECT_EQ(flow.offset(), 2 * bytes.size() - 2);
}

TEST_F(IntelPtFlow, StopsBehindATime) {
  packets.tsc(1000);
  enable(0x401000);
  packets.tsc(2000);
  packets.tnt(1, 1);
  BytesOfCode code(kFlowCode, support::from_hex(kFlowProgram));
  FlowText text;
  FlowDecoder flow({}, code, text);
  flow.feed(packets.bytes(), 0, false);
  EXPECT_TRUE(flow.run(500));
  EXPECT_THAT(text.lines(), ElementsAre("psb 0"));
  EXPECT_TRUE(flow.run(1500));
  EXPECT_THAT(text.lines(), ElementsAre("psb 0", "0 → 401000 begin"));
  EXPECT_FALSE(flow.run(2000));
  EXPECT_EQ(text.lines().size(), 3u);
}

}  // namespace
}  // namespace peregrine::auxtrace
