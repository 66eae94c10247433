#include "event/print/print_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "support/byte_buffer.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

// The bytes 0, 1, 2 …, as in the kernel's documentation of these formats.
std::vector<std::byte> ascending(std::size_t count, unsigned first = 0) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

template <class Put, class... Arguments>
std::string put_by(Put put, const Arguments&... arguments) {
  TextBuffer out;
  put(out, arguments...);
  return std::string(out.view());
}

TEST(PrintAddress, WritesHardwareAddresses) {
  const auto mac = [](char letter, std::string_view how, std::size_t size = 6) {
    return put_by(put_mac, ascending(size), letter, how);
  };
  EXPECT_EQ(mac('M', ""), "00:01:02:03:04:05");
  EXPECT_EQ(mac('M', "F"), "00-01-02-03-04-05");
  EXPECT_EQ(mac('M', "R"), "05:04:03:02:01:00");
  EXPECT_EQ(mac('m', ""), "000102030405");
  EXPECT_EQ(mac('m', "R"), "050403020100");
  for (const std::size_t size : {0, 5, 7}) EXPECT_EQ(mac('M', "", size), "INVALIDMAC") << size;
}

TEST(PrintAddress, WritesAddressesOfIp4) {
  const auto ip = [](char letter, std::string_view how, std::size_t size = 4) {
    return put_by(put_ip, ascending(size, 1), letter, how);
  };
  EXPECT_EQ(ip('I', "4"), "1.2.3.4");
  EXPECT_EQ(ip('i', "4"), "001.002.003.004");
  for (const std::string_view network : {"4n", "4b"}) EXPECT_EQ(ip('I', network), "1.2.3.4") << network;
  for (const std::string_view little : {"4h", "4l"}) EXPECT_EQ(ip('I', little), "4.3.2.1") << little;
  EXPECT_EQ(ip('I', "4", 3), "INVALIDIPv4");
  EXPECT_EQ(ip('I', ""), "");
  EXPECT_EQ(ip('I', "5"), "");
}

TEST(PrintAddress, WritesAddressesOfIp6) {
  ByteBuffer bytes(Endian::Big);
  for (unsigned word = 1; word <= 8; ++word) bytes.put16(word);
  EXPECT_EQ(put_by(put_ip, bytes.bytes(), 'I', "6"), "0001:0002:0003:0004:0005:0006:0007:0008");
  EXPECT_EQ(put_by(put_ip, bytes.bytes(), 'i', "6"), "00010002000300040005000600070008");
  EXPECT_EQ(put_by(put_ip, bytes.bytes(), 'I', "6c"), "1:2:3:4:5:6:7:8");
  EXPECT_EQ(put_by(put_ip, ascending(15), 'I', "6c"), "INVALIDIPv6");
}

// Every set of zero words, compared with the C library. It writes the low 32 bits with dots if all others are zero, as
// in ::1.2.3.4, which is obsolete; the kernel does not.
TEST(PrintAddress, ShortensIp6LikeTheCLibrary) {
  for (unsigned set = 0; set < 256; ++set) {
    if ((set & 0x3f) == 0 && (set & 0x40) != 0) continue;
    ByteBuffer bytes(Endian::Big);
    for (unsigned word = 0; word < 8; ++word) bytes.put16((set >> word & 1) != 0 ? 0xa0 + word : 0);
    char expected[INET6_ADDRSTRLEN];
    ASSERT_NE(::inet_ntop(AF_INET6, bytes.bytes().data(), expected, sizeof expected), nullptr);
    EXPECT_EQ(put_by(put_ip, bytes.bytes(), 'I', "6c"), expected);
  }
}

TEST(PrintAddress, WritesAnEmbeddedIp4AddressWithDots) {
  struct Case {
    const char* address;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"::ffff:192.0.2.1", "::ffff:192.0.2.1"},                 // mapped
      {"fe80::5efe:c000:201", "fe80::5efe:192.0.2.1"},          // ISATAP
      {"fe80::200:5efe:c000:201", "fe80::200:5efe:192.0.2.1"},  // ISATAP with a globally unique address
      {"1:2:3:4:0:5efe:c000:201", "1:2:3:4:0:5efe:192.0.2.1"},  // a single zero is not shortened
      {"::1:ffff:c000:201", "::1:ffff:c000:201"},               // nor is this one
      {"::c000:201", "::c000:201"},
      {"::", "::"},
  };
  for (const auto& [address, expected] : kCases) {
    std::byte bytes[16];
    ASSERT_EQ(::inet_pton(AF_INET6, address, bytes), 1);
    EXPECT_EQ(put_by(put_ip, Bytes(bytes), 'I', "6c"), expected);
  }
}

// struct sockaddr_in: family in host order, port in network order, address.
TEST(PrintAddress, WritesSocketAddressesByTheirFamily) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const ByteOrder order = endian == Endian::Big ? ByteOrder::Big : ByteOrder::Little;
    const auto of_family = [&](unsigned family) {
      return ByteBuffer(endian).put16(family).append(ascending(26, 1)).bytes();
    };
    const auto socket = [&](unsigned family, std::string_view how, std::size_t size = 28) {
      return put_by(put_sockaddr, Bytes(of_family(family)).first(size), 'I', how, order);
    };
    EXPECT_EQ(socket(AF_INET, ""), "3.4.5.6");
    EXPECT_EQ(socket(AF_INET, "p"), "3.4.5.6:258");
    EXPECT_EQ(socket(AF_INET6, ""), "0708:090a:0b0c:0d0e:0f10:1112:1314:1516");
    EXPECT_EQ(socket(AF_INET6, "pc"), "[708:90a:b0c:d0e:f10:1112:1314:1516]:258");
    EXPECT_EQ(socket(AF_UNIX, "pc"), "");
    EXPECT_EQ(socket(AF_INET, "p", 7), "INVALIDIPv4");
    EXPECT_EQ(socket(AF_INET6, "p", 23), "INVALIDIPv6");
    EXPECT_EQ(socket(AF_INET, "p", 1), "");
    EXPECT_EQ(socket(AF_INET, "p", 8), "3.4.5.6:258");
  }
}

TEST(PrintAddress, WritesUuidsInBothByteOrders) {
  const auto uuid = [](char how) { return put_by(put_uuid, ascending(16), how); };
  EXPECT_EQ(uuid('b'), "00010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(uuid('B'), "00010203-0405-0607-0809-0A0B0C0D0E0F");
  EXPECT_EQ(uuid('l'), "03020100-0504-0706-0809-0a0b0c0d0e0f");
  EXPECT_EQ(uuid('L'), "03020100-0504-0706-0809-0A0B0C0D0E0F");
  EXPECT_EQ(put_by(put_uuid, ascending(15), 'b'), "INVALIDUUID");
}

TEST(PrintAddress, WritesBytesWithASeparatorBetweenThem) {
  EXPECT_EQ(put_by(put_bytes, ascending(3, 0xfe), " "), "fe ff 00");
  EXPECT_EQ(put_by(put_bytes, ascending(3, 9), ""), "090a0b");
  EXPECT_EQ(put_by(put_bytes, ascending(1), ":"), "00");
  EXPECT_EQ(put_by(put_bytes, Bytes(), ":"), "");
}

// A bitmap with these bits, in words of the recorded machine's size.
std::vector<std::byte> bitmap(const CpuList& bits, std::size_t words, u8 word_size, ByteOrder order) {
  std::vector<u64> values(words);
  for (const int bit : bits) values[static_cast<u64>(bit) / (word_size * 8u)] |= u64{1} << bit % (word_size * 8);
  ByteBuffer bytes(order == ByteOrder::Big ? Endian::Big : Endian::Little);
  for (const u64 value : values) bytes.put(value, word_size);
  return bytes.bytes();
}

TEST(PrintBits, AListReadsBackAsTheSameBits) {
  CpuList all(128);
  std::iota(all.begin(), all.end(), 0);
  const CpuList cases[] = {{}, {0}, {127}, {0, 2, 4}, {5, 6}, {0, 1, 2, 31, 32, 33, 63, 64, 65, 126, 127}, all};
  for (const CpuList& bits : cases)
    for (const u8 word_size : {u8{4}, u8{8}})
      for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        const auto bytes = bitmap(bits, 16 / word_size, word_size, order);
        const std::string list = put_by(put_bit_list, bytes, order, word_size, ~u64{0});
        if (bits.empty())
          EXPECT_EQ(list, "");
        else
          EXPECT_EQ(parse_cpu_list(list), bits) << list;
      }
}

TEST(PrintBits, AListJoinsNeighbours) {
  const auto list = [](const CpuList& bits, u64 count) {
    return put_by(put_bit_list, bitmap(bits, 1, 8, ByteOrder::Little), ByteOrder::Little, u8{8}, count);
  };
  EXPECT_EQ(list({0, 1, 2, 7}, 64), "0-2,7");
  EXPECT_EQ(list({0, 1}, 64), "0-1");
  EXPECT_EQ(list({62, 63}, ~u64{0}), "62-63");
  // %*pbl prints only as many bits as its argument specifies.
  EXPECT_EQ(list({0, 1, 2, 7}, 2), "0-1");
  EXPECT_EQ(list({0, 1, 2, 7}, 0), "");
}

// Groups of 32 bits, highest first; the first group is as wide as its number of bits requires.
TEST(PrintBits, GroupsAreHexadecimal) {
  struct Case {
    CpuList set;
    u64 count;
    std::string_view expected;
  };
  const Case cases[] = {
      {{0, 1, 2, 3}, 64, "00000000,0000000f"},
      {{0, 1, 2, 3, 4}, 5, "1f"},
      {{0, 1, 2, 3, 4}, 4, "f"},
      {{0, 32}, 33, "1,00000001"},
      {{0, 31}, 32, "80000001"},
      {{63}, 64, "80000000,00000000"},
      {{}, 64, "00000000,00000000"},
      {{1}, 0, ""},
  };
  for (const auto& [set, count, expected] : cases)
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big})
      EXPECT_EQ(put_by(put_bit_groups, bitmap(set, 1, 8, order), order, u8{8}, count), expected) << count;
}

TEST(PrintBits, MoreBitsThanBytesPrintTheBytesOnly) {
  const auto bytes = bitmap({0, 63}, 1, 8, ByteOrder::Little);
  EXPECT_EQ(put_by(put_bit_groups, bytes, ByteOrder::Little, u8{8}, ~u64{0}), "80000000,00000001");
  EXPECT_EQ(put_by(put_bit_groups, Bytes(bytes).first(1), ByteOrder::Little, u8{8}, u64{1000}), "00000001");
  EXPECT_EQ(put_by(put_bit_list, Bytes(), ByteOrder::Little, u8{8}, ~u64{0}), "");
}

}  // namespace
}  // namespace peregrine
