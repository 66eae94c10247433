// PEBS records between the packets that describe the flow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/pebs_record.h"
#include "auxtrace/intel_pt/test_flow.h"
#include "base/types.h"
#include "support/intel_pt_packets.h"
#include "support/perf_data_builder.h"

namespace peregrine::auxtrace {
namespace {

using support::IntelPtPackets;
using support::IpPacket;
using ::testing::ElementsAre;

std::vector<std::string> decode(const IntelPtPackets& packets) {
  BytesOfCode code(kFlowCode, support::from_hex(kFlowProgram));
  FlowText text;
  FlowDecoder flow(FlowFacts(), code, text);
  flow.feed(packets.bytes(), 0, false);
  EXPECT_FALSE(flow.run(~u64{0}));
  return text.lines();
}

class PebsInTrace : public ::testing::Test {
 protected:
  PebsInTrace() {
    packets.psb();
    packets.psb_end();
    packets.ip(IpPacket::Enable, 0x401000);
  }
  void put_record(u64 ip) {
    packets.block(PebsRecord::Basic);
    packets.item(0, ip);
    packets.item(1, 1);
    packets.block(PebsRecord::Memory);
    packets.item(0, 0xda7a);
    packets.block(PebsRecord::Registers);
    packets.item(2, 0xa);
  }

  IntelPtPackets packets;
};

TEST_F(PebsInTrace, GathersTheGroupsOfABlock) {
  put_record(0x401001);
  packets.block_end();
  packets.block(PebsRecord::Basic);
  packets.item(0, 0x401002);
  packets.block_end();
  EXPECT_THAT(decode(packets),
              ElementsAre("psb 0", "0 → 401000 begin", "pebs ip 401001 counters 1 address da7a ax a at 401000",
                          "pebs ip 401002 counters none address none ax none at 401000"));
}

TEST_F(PebsInTrace, LeavesTheFlowAlone) {
  packets.tnt(0b1, 1);
  put_record(0x401021);
  packets.block_end();
  packets.ip(IpPacket::Tip, 0x40100d);
  EXPECT_THAT(decode(packets), ElementsAre("psb 0", "0 → 401000 begin", "401001 → 401006 jcc",
                                           "pebs ip 401021 counters 1 address da7a ax a at 401006",
                                           "401008 → 401020 call", "401021 → 40100d return"));
}

TEST_F(PebsInTrace, IgnoresEmptyBlocksAndUnknownGroups) {
  packets.block(0x1f);
  packets.item(0, 1);
  packets.block_end();
  packets.block_end();
  EXPECT_THAT(decode(packets), ElementsAre("psb 0", "0 → 401000 begin"));
}

TEST_F(PebsInTrace, DropsARecordThatIsCutByAnOverflowOrPsb) {
  put_record(0x401001);
  packets.overflow();
  packets.block_end();
  put_record(0x401002);
  packets.psb();
  packets.psb_end();
  packets.block_end();
  for (const std::string& line : decode(packets)) EXPECT_FALSE(line.starts_with("pebs")) << line;
}

}  // namespace
}  // namespace peregrine::auxtrace
