// The packets of an Arm SPE trace, and their text as in linux-perf 6.1's dump of the same bytes.
#include "auxtrace/arm_spe/packet.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "auxtrace/arm_spe/packet_text.h"
#include "auxtrace/arm_spe/trace_builder.h"

namespace peregrine {
namespace {

using spe_test::Trace;

SpePacket only(const Trace& trace) { return decode_spe_packet(trace.bytes()); }
std::string text(const Trace& trace) {
  const SpePacket packet = only(trace);
  EXPECT_EQ(packet.size, trace.bytes().size());
  return spe_packet_text(packet);
}

TEST(SpePacket, HasAHeaderAndUpToEightBytes) {
  const SpePacket events = only(Trace().put(0x62, 0x12345678, 4));
  EXPECT_EQ(events.kind, SpePacketKind::Events);
  EXPECT_EQ(events.size, 5);
  EXPECT_EQ(events.payload, 0x12345678);
  EXPECT_EQ(only(Trace().raw({0x00})).kind, SpePacketKind::Padding);
  EXPECT_EQ(only(Trace().raw({0x01})).kind, SpePacketKind::End);
}

TEST(SpePacket, NamesWhatItSays) {
  EXPECT_EQ(text(Trace().pc(0x401000)), "PC 0x401000 el0 ns=1");
  EXPECT_EQ(text(Trace().address(1, 0xff800010001000, 1, 1)), "TGT 0xff800010001000 el1 ns=1");
  EXPECT_EQ(text(Trace().data(0x5aff800010002000)), "VA 0x5aff800010002000");
  EXPECT_EQ(text(Trace().physical(0x8abc000012345678)), "PA 0xbc000012345678 ns=1 ch=0 pat=a");
  EXPECT_EQ(text(Trace().address(4, 0x401200, 0, 1)), "ADDR 0x8000000000401200 (4)");
  EXPECT_EQ(text(Trace().latency(33)), "LAT 33 TOT");
  EXPECT_EQ(text(Trace().put(0x9a, 2, 2)), "LAT 2 XLAT");
  EXPECT_EQ(text(Trace().put(0x9b, 1, 2)), "LAT 1 ");
  EXPECT_EQ(text(Trace().put(0x65, 5, 4)), "CONTEXT 0x5 el2");
  EXPECT_EQ(text(Trace().put(0x53, 0x1234, 2)), "DATA-SOURCE 4660");
  EXPECT_EQ(text(Trace().timestamp(1000)), "TS 1000");
  EXPECT_EQ(text(Trace().events(0x3e)), "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS TLB-REFILL");
  EXPECT_EQ(text(Trace().events(0)), "EV");
}

struct OperationCase {
  u8 header, payload;
  std::string_view text;
};
TEST(SpePacket, NamesOperations) {
  for (const auto& [header, payload, expected] : std::initializer_list<OperationCase>{
           {0x48, 0x00, "OTHER INSN-OTHER"},
           {0x48, 0x01, "OTHER COND-SELECT"},
           {0x48, 0x7e, "SVE-OTHER EVLEN 4096 FP PRED"},
           {0x49, 0x00, "LD GP-REG"},
           {0x49, 0x01, "ST GP-REG"},
           {0x49, 0x02, "LD"},
           {0x49, 0x05, "ST SIMD-FP"},
           {0x49, 0x08, "LD EVLEN 32"},
           {0x49, 0x0a, "LD EXCL"},
           {0x49, 0x0c, "LD EVLEN 32 PRED"},
           {0x49, 0x10, "LD UNSPEC-REG"},
           {0x49, 0x17, "ST AT AR"},
           {0x49, 0x31, "ST NV-SYSREG"},
           {0x4a, 0x00, "B"},
           {0x4a, 0x03, "B COND IND"},
           {0x4a, 0x05, "B COND"},
           {0x4b, 0x05, "OP-TYPE 0x5 (3)"},
       })
    EXPECT_EQ(text(Trace().put(header, payload, 1)), expected);
}

TEST(SpePacket, ASecondHeaderByteMakesRoomForLargeIndices) {
  const SpePacket address = only(Trace().raw({0x23}).put(0xb7, 0x77, 8));
  EXPECT_EQ(address.kind, SpePacketKind::Address);
  EXPECT_EQ(address.index, 31);
  EXPECT_EQ(address.size, 10);
  EXPECT_EQ(text(Trace().raw({0x20}).put(0xb2, 0x5000, 8)), "VA 0x5000");
  EXPECT_EQ(text(Trace().raw({0x20, 0x03})), "PAD");  // the zeros after it are separate padding
}

TEST(SpePacket, RejectsInvalidHeader) {
  for (const u8 byte : {0xff, 0x02, 0x4c, 0x61, 0x70, 0xa0, 0x20, 0x24}) {
    const SpePacket packet = only(Trace().raw({byte, 0x64, 0x00}));
    EXPECT_EQ(packet.kind, SpePacketKind::Bad);
    EXPECT_EQ(packet.size, 1);
    EXPECT_EQ(spe_packet_text(packet), "Bad packet!");
  }
}

TEST(SpePacket, RejectsTruncatedPacketAsAWhole) {
  const Trace whole = Trace().pc(0x401000);
  for (std::size_t size = 1; size < 9; ++size) {
    const SpePacket packet = decode_spe_packet(whole.bytes().first(size));
    EXPECT_EQ(packet.kind, SpePacketKind::Bad);
    EXPECT_EQ(packet.size, size);
  }
}

u64 address(u8 index, u64 value, u64 level = 0, u64 non_secure = 0) {
  return spe_address_of(only(Trace().address(index, value, level, non_secure)));
}

TEST(SpePacket, AddressesOfTheKernelGetTheirUpperByteBack) {
  EXPECT_EQ(address(spe_address::Pc, 0x401000, 0, 1), 0x401000);
  EXPECT_EQ(address(spe_address::Pc, 0x00ff800010001000, 1, 1), 0xffff800010001000);
  EXPECT_EQ(address(spe_address::BranchTarget, 0x00ff800010001000, 2, 1), 0xffff800010001000);
  EXPECT_EQ(address(spe_address::Pc, 0x00ff800010001000, 1, 0), 0x00ff800010001000);
  EXPECT_EQ(address(spe_address::Pc, 0x401000, 3, 1), 0x401000);
}

TEST(SpePacket, DataAddressesLoseTheirTag) {
  EXPECT_EQ(address(spe_address::DataVirtual, 0x5aff800010002000), 0xffff800010002000);
  EXPECT_EQ(address(spe_address::DataVirtual, 0x5a0f800010002000), 0x000f800010002000);
  EXPECT_EQ(address(spe_address::DataPhysical, 0x8abc000012345678), 0x00bc000012345678);
}

}  // namespace
}  // namespace peregrine
