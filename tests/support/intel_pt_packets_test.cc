#include "support/intel_pt_packets.h"

#include <gtest/gtest.h>

#include "support/perf_data_builder.h"

namespace peregrine::support {
namespace {

TEST(IntelPtPackets, AddressIsAsShortAsTheLastOneAllows) {
  IntelPtPackets out;
  out.ip(IpPacket::Enable, 0x7fffabcd1234);
  out.ip(IpPacket::Tip, 0x7fffabcd5678);       // the low 16 bits
  out.ip(IpPacket::Tip, 0x7fff12345678);       // the low 32
  out.ip(IpPacket::Flow, 0xffff800000000010);  // 48, extended by the sign
  EXPECT_EQ(out.bytes(), from_hex("713412cdabff7f"
                                  "2d7856"
                                  "4d78563412"
                                  "7d100000000080"));
}

TEST(IntelPtPackets, AddressAfterPsbRefersToNothingBefore) {
  IntelPtPackets out;
  out.ip(IpPacket::Tip, 0x7fffabcd1234);
  const std::size_t before = out.size();
  out.psb();
  out.ip(IpPacket::Flow, 0x7fffabcd1234);
  EXPECT_EQ(out.size() - before, 16u + 7u);
}

TEST(IntelPtPackets, AddressThatIsNotCanonicalIsWholeOrTakesItsTopFromTheLast) {
  IntelPtPackets out;
  out.ip(IpPacket::Tip, 0x0001800000000000);
  out.ip(IpPacket::Tip, 0x0001900000000000);
  EXPECT_EQ(out.bytes(), from_hex("cd0000000000800100"
                                  "8d000000000090"));
}

TEST(IntelPtPackets, BranchesEndBeforeTheStopBit) {
  IntelPtPackets out;
  out.tnt(0b1, 1);
  out.tnt(0b110111, 6);
  out.tnt(0b1000000, 7);  // no longer fits a short packet
  EXPECT_EQ(out.bytes(), from_hex("06ee02a3c00000000000"));
}

TEST(IntelPtPackets, CyclesTakeAsManyBytesAsTheyNeed) {
  IntelPtPackets out;
  out.cyc(31);
  out.cyc(32);
  out.cyc(0xfff + 1);
  EXPECT_EQ(out.bytes(), from_hex("fb"
                                  "0702"
                                  "070102"));
}

TEST(IntelPtPackets, TimePackets) {
  IntelPtPackets out;
  out.tsc(0xbc4cd2cfe8);
  out.tma(0xb23c, 0x130);
  out.mtc(0x48);
  EXPECT_EQ(out.bytes(), from_hex("19e8cfd24cbc0000"
                                  "02733cb2003001"
                                  "5948"));
}

}  // namespace
}  // namespace peregrine::support
