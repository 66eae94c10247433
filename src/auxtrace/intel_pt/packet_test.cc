// The packets of an Intel Processor Trace, byte by byte (Intel SDM volume 3, "Trace Packets and Data Types").
#include "auxtrace/intel_pt/packet.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/intel_pt_packets.h"
#include "support/perf_data_builder.h"

namespace peregrine::auxtrace {
namespace {

using support::from_hex;
using support::IntelPtPackets;
using support::IpPacket;

struct PacketCase {
  const char* hex;
  PacketType type;
  u64 payload = 0;
  u16 count = 0;
  unsigned item_bytes = 0;
};

constexpr PacketCase kPackets[] = {
    {"00", PacketType::Pad},
    {"04", PacketType::Tnt, 0, 1},
    {"06", PacketType::Tnt, 1, 1},
    {"1a", PacketType::Tnt, 5, 3},
    {"fe", PacketType::Tnt, 0x3f, 6},
    {"02a3050000000000", PacketType::Tnt, 1, 2},
    {"02a3ffffffffffff", PacketType::Tnt, 0x7fffffffffff, 47},
    {"0d", PacketType::Tip, 0, 0},
    {"2d3412", PacketType::Tip, 0x1234, 1},
    {"4d78563412", PacketType::Tip, 0x12345678, 2},
    {"6d665544332211", PacketType::Tip, 0x112233445566, 3},
    {"8d665544332211", PacketType::Tip, 0x112233445566, 4},
    {"cd8877665544332211", PacketType::Tip, 0x1122334455667788, 6},
    {"313412", PacketType::TipPge, 0x1234, 1},
    {"213412", PacketType::TipPgd, 0x1234, 1},
    {"01", PacketType::TipPgd, 0, 0},
    {"3d3412", PacketType::Fup, 0x1234, 1},
    {"0243450000000000", PacketType::Pip, 0x440, 1},  // bit 0: of a guest; from bit 5 of CR3 on
    {"02c80100000000", PacketType::Vmcs, 0x1000},
    {"1907060504030201", PacketType::Tsc, 0x01020304050607},
    {"02733412ff5601", PacketType::Tma, 0x1234, 0x156},
    {"59ab", PacketType::Mtc, 0xab},
    {"0b", PacketType::Cyc, 1},
    {"ff02", PacketType::Cyc, 0x3f},
    {"07ff02", PacketType::Cyc, (0x7f + (1 << 7)) << 5},
    {"02031400", PacketType::Cbr, 0x14},
    {"9900", PacketType::ModeExec, 16},
    {"9901", PacketType::ModeExec, 64},
    {"9902", PacketType::ModeExec, 32},
    {"9920", PacketType::ModeTsx, 0},
    {"9921", PacketType::ModeTsx, 1},
    {"9922", PacketType::ModeTsx, 2},
    {"0283", PacketType::TraceStop},
    {"02f3", PacketType::Overflow},
    {"02820282028202820282028202820282", PacketType::Psb},
    {"0223", PacketType::PsbEnd},
    {"02c3880102030405060708", PacketType::Maintenance, 0x0807060504030201},
    {"021201020304", PacketType::Ptwrite, 0x04030201, 0},
    {"02b20102030405060708", PacketType::Ptwrite, 0x0807060504030201, 1},
    {"0262", PacketType::ExStop, 0, 0},
    {"02e2", PacketType::ExStop, 0, 1},
    {"02c22100000003000000", PacketType::Mwait, 0x300000021},
    {"02220060", PacketType::PowerEntry, 0x6000},
    {"02a2660100000000", PacketType::PowerExit, 0x166},
    {"026301", PacketType::BlockBegin, 1, 8},
    {"026384", PacketType::BlockBegin, 4, 4},
    {"2c04030201", PacketType::BlockItem, 0x01020304, 5, 4},
    {"2c0807060504030201", PacketType::BlockItem, 0x0102030405060708, 5, 8},
    {"0233", PacketType::BlockEnd, 0, 0},
    {"02b3", PacketType::BlockEnd, 0, 1},
    {"02130102", PacketType::ControlFlow, 0x201},
    {"0253020807060504030201", PacketType::EventData, 0x0102030405060708, 2},
};

TEST(IntelPtPacket, SaysWhatItsBytesMean) {
  for (const PacketCase& one : kPackets) {
    const auto bytes = from_hex(one.hex);
    const Packet packet = read_packet(bytes, one.item_bytes);
    EXPECT_EQ(packet.type, one.type) << one.hex;
    EXPECT_EQ(packet.payload, one.payload) << one.hex;
    EXPECT_EQ(packet.count, one.count) << one.hex;
    if (one.type != PacketType::PowerExit) EXPECT_EQ(packet.size, bytes.size()) << one.hex;
  }
}

TEST(IntelPtPacket, WaitsForItsLastByte) {
  EXPECT_EQ(read_packet({}, 0).type, PacketType::Incomplete);
  for (const PacketCase& one : kPackets) {
    const auto bytes = from_hex(one.hex);
    const std::size_t whole = read_packet(bytes, one.item_bytes).size;
    for (std::size_t size = 1; size < whole; ++size) {
      const Packet packet = read_packet(Bytes(bytes).first(size), one.item_bytes);
      EXPECT_EQ(packet.type, PacketType::Incomplete) << one.hex << " cut to " << size;
      EXPECT_EQ(packet.size, size);
    }
  }
}

TEST(IntelPtPacket, RejectsUnknownOpcode) {
  for (const char* const hex : {
           "05", "09", "15", "d9",                  // no such packet
           "ad00000000000000", "ed00000000",        // invalid form of an address
           "9903", "9940",                          // invalid width, invalid mode
           "0202", "02ff",                          // invalid extended packet
           "02a3000000000000", "02a3010000000000",  // no branches
           "02820283",                              // a truncated PSB
           "02c389", "02520000",                    // a maintenance packet with a wrong third byte, PTWRITE with an
                                                    // invalid size
           "07ffffffffffffffffff02",                // more cycles than fit
       }) {
    std::vector<std::byte> bytes = from_hex(hex);
    bytes.resize(24);
    const Packet packet = read_packet(bytes, 0);
    EXPECT_EQ(packet.type, PacketType::Bad) << hex;
    EXPECT_EQ(packet.size, 1) << hex;
  }
}

// Whatever the bytes are, reading continues, but not past the end.
TEST(IntelPtPacket, EveryBeginningHasASize) {
  std::vector<std::byte> bytes(32, std::byte{0x5a});
  for (unsigned first = 0; first < 0x10000; ++first) {
    bytes[0] = static_cast<std::byte>(first);
    bytes[1] = static_cast<std::byte>(first >> 8);
    for (const unsigned item_bytes : {0u, 4u, 8u}) {
      const Packet packet = read_packet(bytes, item_bytes);
      ASSERT_GE(packet.size, 1) << std::hex << first;
      ASSERT_LE(packet.size, 16) << std::hex << first;
      ASSERT_LE(read_packet(Bytes(bytes).first(3), item_bytes).size, 3) << std::hex << first;
    }
  }
}

TEST(IntelPtPacket, PsbIsFoundWhereverItBegins) {
  std::vector<std::byte> bytes = from_hex("0282028202");  // of a truncated one
  EXPECT_EQ(find_psb({}), 0u);
  EXPECT_EQ(find_psb(bytes), bytes.size());
  const auto psb = from_hex("02820282028202820282028202820282");
  bytes.push_back(std::byte{0x82});
  bytes.push_back(std::byte{0x00});
  bytes.insert(bytes.end(), psb.begin(), psb.end());
  EXPECT_EQ(find_psb(bytes), 7u);
  EXPECT_EQ(find_psb(Bytes(bytes).first(bytes.size() - 1)), bytes.size() - 1);
}

TEST(IntelPtPacket, AddressesCompleteTheLastOne) {
  const auto complete = [](AddressForm form, u64 payload, u64 last) {
    return complete_address({PacketType::Tip, 0, static_cast<u16>(form), payload}, last);
  };
  constexpr u64 kLast = 0x1234'5678'9abc'def0;
  EXPECT_EQ(complete(AddressForm::None, 0, kLast), kLast);
  EXPECT_EQ(complete(AddressForm::Low16, 0x1111, kLast), 0x1234'5678'9abc'1111u);
  EXPECT_EQ(complete(AddressForm::Low32, 0x1111'2222, kLast), 0x1234'5678'1111'2222u);
  EXPECT_EQ(complete(AddressForm::Low48, 0x1111'2222'3333, kLast), 0x1234'1111'2222'3333u);
  EXPECT_EQ(complete(AddressForm::Signed48, 0x7fff'2222'3333, kLast), 0x0000'7fff'2222'3333u);
  EXPECT_EQ(complete(AddressForm::Signed48, 0x8000'2222'3333, kLast), 0xffff'8000'2222'3333u);
  EXPECT_EQ(complete(AddressForm::Full, 5, kLast), 5u);
}

TEST(IntelPtPacket, ReadsBackWhatIsWritten) {
  IntelPtPackets out;
  const u64 addresses[] = {0x401000, 0x401234, 0x55554000, 0x7fffabcd1234, 0xffff800000000010, 0x0001800000000000};
  for (const u64 address : addresses) out.ip(IpPacket::Tip, address);
  Bytes rest = out.bytes();
  u64 last = 0;
  for (const u64 address : addresses) {
    const Packet packet = read_packet(rest, 0);
    ASSERT_EQ(packet.type, PacketType::Tip);
    last = complete_address(packet, last);
    EXPECT_EQ(last, address);
    rest = rest.subspan(packet.size);
  }
  for (const u64 cycles : {u64{0}, u64{31}, u64{32}, u64{4095}, u64{4096}, u64{1} << 40}) {
    IntelPtPackets one;
    one.cyc(cycles);
    EXPECT_EQ(read_packet(one.bytes(), 0).payload, cycles);
    EXPECT_EQ(read_packet(one.bytes(), 0).size, one.size());
  }
}

}  // namespace
}  // namespace peregrine::auxtrace
