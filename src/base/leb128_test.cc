#include "base/leb128.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "base/percent.h"

namespace peregrine {
namespace {

std::vector<std::byte> octets(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// The value, if the number ends with the bytes.
std::optional<u64> whole_uleb(const std::vector<std::byte>& bytes) {
  ByteReader reader(bytes);
  const u64 value = get_uleb128(reader);
  return reader.ok() && reader.left() == 0 ? std::optional(value) : std::nullopt;
}
std::optional<i64> whole_sleb(const std::vector<std::byte>& bytes) {
  ByteReader reader(bytes);
  const i64 value = get_sleb128(reader);
  return reader.ok() && reader.left() == 0 ? std::optional(value) : std::nullopt;
}

// The examples from DWARF 5, section 7.6.
TEST(Leb128, DecodesTheExamplesOfDwarf) {
  EXPECT_EQ(whole_uleb(octets({2})), 2u);
  EXPECT_EQ(whole_uleb(octets({127})), 127u);
  EXPECT_EQ(whole_uleb(octets({0x80, 1})), 128u);
  EXPECT_EQ(whole_uleb(octets({0x81, 1})), 129u);
  EXPECT_EQ(whole_uleb(octets({0xb9, 0x64})), 12857u);
  EXPECT_EQ(whole_sleb(octets({2})), 2);
  EXPECT_EQ(whole_sleb(octets({0x7e})), -2);
  EXPECT_EQ(whole_sleb(octets({0xff, 0})), 127);
  EXPECT_EQ(whole_sleb(octets({0x81, 0x7f})), -127);
  EXPECT_EQ(whole_sleb(octets({0x80, 1})), 128);
  EXPECT_EQ(whole_sleb(octets({0x80, 0x7f})), -128);
}

// Encoders as described by the standard.
std::vector<std::byte> uleb_of(u64 value) {
  std::vector<std::byte> bytes;
  do {
    bytes.push_back(static_cast<std::byte>((value & 0x7f) | (value >= 0x80 ? 0x80 : 0)));
    value >>= 7;
  } while (value != 0);
  return bytes;
}
std::vector<std::byte> sleb_of(i64 value) {
  std::vector<std::byte> bytes;
  for (bool more = true; more;) {
    const auto low = static_cast<unsigned>(value & 0x7f);
    value >>= 7;
    more = !((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0));
    bytes.push_back(static_cast<std::byte>(low | (more ? 0x80 : 0)));
  }
  return bytes;
}

TEST(Leb128, DecodesWhatIsEncodedAroundEachPowerOfTwo) {
  for (unsigned bit = 0; bit < 64; ++bit)
    for (const u64 value : {(u64{1} << bit) - 1, u64{1} << bit, (u64{1} << bit) + 1}) {
      EXPECT_EQ(whole_uleb(uleb_of(value)), value);
      EXPECT_EQ(whole_sleb(sleb_of(static_cast<i64>(value))), static_cast<i64>(value));
      EXPECT_EQ(whole_sleb(sleb_of(static_cast<i64>(~value + 1))), static_cast<i64>(~value + 1));
    }
  EXPECT_EQ(whole_uleb(uleb_of(~u64{0})), ~u64{0});
  EXPECT_EQ(whole_sleb(sleb_of(std::numeric_limits<i64>::min())), std::numeric_limits<i64>::min());
}

TEST(Leb128, TakesNumbersThatAreLongerThanNeeded) {
  EXPECT_EQ(whole_uleb(octets({0x85, 0x80, 0x80, 0})), 5u);
  EXPECT_EQ(whole_sleb(octets({0xfb, 0xff, 0xff, 0x7f})), -5);
  EXPECT_EQ(whole_uleb(octets({0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01})), 5u)
      << "bits beyond the 64th are dropped";
  EXPECT_EQ(whole_sleb(octets({0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})), -5);
}

TEST(Leb128, NeedsALastByte) {
  for (const auto& bytes : {octets({}), octets({0x80}), octets({0xff, 0xff, 0xff})}) {
    EXPECT_EQ(whole_uleb(bytes), std::nullopt);
    EXPECT_EQ(whole_sleb(bytes), std::nullopt);
  }
}

TEST(Leb128, LeavesWhatFollows) {
  const std::vector<std::byte> bytes = octets({0x80, 1, 0x7e, 9});
  ByteReader reader(bytes);
  EXPECT_EQ(get_uleb128(reader), 128u);
  EXPECT_EQ(get_sleb128(reader), -2);
  EXPECT_EQ(reader.get8(), 9u);
}

TEST(Percent, OfNothingIsNothing) {
  EXPECT_EQ(percent_of(0, 0), 0);
  EXPECT_EQ(percent_of(5, 0), 0);
  EXPECT_EQ(percent_of(1, 4), 25);
  EXPECT_EQ(percent_of(3, 2), 150);
  EXPECT_EQ(percent_of(~u64{0}, ~u64{0}), 100);
}

}  // namespace
}  // namespace peregrine
