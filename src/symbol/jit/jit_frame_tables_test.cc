#include "symbol/jit/jit_frame_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/bytes.h"
#include "support/jitdump_builder.h"

namespace peregrine {
namespace {

using support::JitDumpBuilder;

// A CIE like V8's, and one FDE for code of `size` bytes that ends where the tables begin.
std::string tables(ByteOrder order, u32 size, u8 encoding = 0x1b) {
  ByteWriter out(order);
  out.put32(20).put32(0).put8(1).append("zLR").put8(0).put8(1).put8(0x78).put8(16).put8(2).put8(0xff).put8(encoding);
  out.zeros(24 - out.size());
  out.put32(20).put32(28).put32(static_cast<u32>(-static_cast<i32>((size + 7) / 8 * 8 + 32))).put32(size).zeros(8);
  out.put32(0);
  const Bytes bytes = out.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(JitFrameTables, PointAtTheCodeInTheDump) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    JitDumpBuilder builder(7, order);
    builder.unwinding(tables(order, 5), "HEAD").load(1, 0x1000, 0, "one", "abcde");
    builder.load(2, 0x2000, 1, "bare", "abcd");
    builder.unwinding(tables(order, 8), "").load(3, 0x3000, 2, "two", "abcdefgh");
    const JitDump dump = std::move(*JitDump::from_bytes(builder.bytes(), "jit-7.dump"));
    constexpr u64 kAddress = 0x5000;
    const std::vector<std::byte> merged = jit_frame_tables(dump, kAddress);
    ASSERT_EQ(merged.size(), 2u * 48 + 4) << "without the ends between them";
    const auto target = [&](std::size_t at) {
      return kAddress + at + static_cast<u64>(i64{load<i32>(merged.data() + at, order)});
    };
    EXPECT_EQ(target(32), dump.loads()[0].code_at);
    EXPECT_EQ(target(48 + 32), dump.loads()[2].code_at);
    EXPECT_EQ(load<u32>(merged.data() + 48 + 28, order), 28u) << "the way back to its CIE";
  }
}

TEST(JitFrameTables, OtherFormsAreLeftOut) {
  const auto merged = [](const std::string& frames) {
    const auto bytes = JitDumpBuilder(7).unwinding(frames, "").load(1, 0x1000, 0, "one", "abcde").bytes();
    return jit_frame_tables(*JitDump::from_bytes(bytes, "jit-7.dump"), 0).size();
  };
  EXPECT_NE(merged(tables(kHostOrder, 5)), 0u);
  EXPECT_EQ(merged(tables(kHostOrder, 5, 0x00)), 0u);
  EXPECT_EQ(merged("FRAMES--FRAMES--"), 0u);
  EXPECT_EQ(merged(tables(kHostOrder, 5).substr(0, 40)), 0u);
  EXPECT_EQ(merged(tables(kHostOrder, 5).substr(24)), 0u) << "an FDE without its CIE";
  EXPECT_EQ(merged(std::string("\xff\xff\xff\xff\0\0\0\0\0\0\0\0", 12)), 0u);
}

}  // namespace
}  // namespace peregrine
