#include "pipeline/rewrite/raw_addresses.h"

#include <gtest/gtest.h>

#include <string_view>

namespace peregrine {
namespace {

constexpr std::string_view kFormat = R"(name: kmalloc
ID: 42
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:unsigned long call_site;	offset:8;	size:8;	signed:0;
	field:const void * ptr;	offset:16;	size:8;	signed:0;
	field:u64 time;	offset:24;	size:8;	signed:0;
	field:long ret;	offset:32;	size:8;	signed:1;
	field:unsigned long args[2];	offset:40;	size:16;	signed:0;
	field:__data_loc char[] name;	offset:56;	size:4;	signed:0;

print fmt: "%s", __get_str(name)
)";

u64 word_at(Bytes bytes, std::size_t at) { return load<u64>(bytes.data() + at, ByteOrder::Little); }

std::vector<std::byte> edited(const RawAddresses& raw, std::vector<std::byte> bytes, bool& whole) {
  const RawAddresses::Space space{.at = [](u64 value) { return value & 0xfff; },
                                  .covers = [](u64 value) { return value >> 32 == 0x5566 || value >> 20 == 0x4; },
                                  .is_near = [](u64 value) { return value >> 20 == 0x5; }};
  whole = raw.edit(bytes, ByteOrder::Little, space);
  return bytes;
}

TEST(RawAddresses, ReplacesAddressesAndKeepsNumbers) {
  const auto format = parse_trace_format("kmem", kFormat);
  ASSERT_TRUE(format);
  ByteWriter raw(ByteOrder::Little);
  raw.put16(42).put16(0xdead).put32(0xffffffff);                // bytes outside all fields
  raw.put64(0xffffffffa5200123).put64(0x1234567);               // call_site, ptr
  raw.put64(0x556600000007).put64(static_cast<u64>(-1000000));  // time, within a mapping; ret
  raw.put64(0x7ffc00000010).put64(17);                          // args
  raw.put32(60 | 4 << 16).append(std::string_view("abc\0", 4));
  bool whole = false;
  const auto bytes = edited(RawAddresses(*format), raw.take(), whole);
  EXPECT_TRUE(whole);
  EXPECT_EQ(word_at(bytes, 0), 42u);
  EXPECT_EQ(word_at(bytes, 8), 0x123u);
  EXPECT_EQ(word_at(bytes, 16), 0x567u);
  EXPECT_EQ(word_at(bytes, 24), 7u);
  EXPECT_EQ(word_at(bytes, 32), static_cast<u64>(-1000000));
  EXPECT_EQ(word_at(bytes, 40), 0x10u);
  EXPECT_EQ(word_at(bytes, 48), 17u);
  EXPECT_EQ(bytes[60], std::byte{'a'});
}

// Heaps and stacks of programs, low memory of non-PIE programs, and the lower half of a kernel address.
TEST(RawAddresses, HidesAllAddressesInFieldsOfProbes) {
  const auto format = parse_trace_format("probe", R"(name: load
ID: 43
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:unsigned long __probe_ip;	offset:8;	size:8;	signed:0;
	field:u64 p;	offset:16;	size:8;	signed:0;
	field:s64 stack;	offset:24;	size:8;	signed:1;
	field:u64 code;	offset:32;	size:8;	signed:0;
	field:s64 heap;	offset:40;	size:8;	signed:1;
	field:s64 error;	offset:48;	size:8;	signed:1;
	field:u32 half;	offset:56;	size:4;	signed:0;
	field:s32 count;	offset:60;	size:4;	signed:1;
	field:u8 bytes[8];	offset:64;	size:8;	signed:0;

print fmt: "%lx", REC->p
)");
  ASSERT_TRUE(format);
  ByteWriter raw(ByteOrder::Little);
  raw.put64(43).put64(0x401123).put64(0x5592a2bc22a0).put64(0x7ffd9ff5b370).put64(0x400456).put64(0x512345);
  raw.put64(static_cast<u64>(-22)).put32(0xa5300010).put32(17).put64(0x5592a2bc22a0);
  bool whole = true;
  const auto bytes = edited(RawAddresses(*format), raw.take(), whole);
  EXPECT_FALSE(whole);
  EXPECT_EQ(word_at(bytes, 16), 0x2a0u);
  EXPECT_EQ(word_at(bytes, 24), 0x370u);
  EXPECT_EQ(word_at(bytes, 32), 0x456u);
  EXPECT_EQ(word_at(bytes, 40), 0x345u);
  EXPECT_EQ(word_at(bytes, 48), static_cast<u64>(-22));
  EXPECT_EQ(word_at(bytes, 56), u64{17} << 32);
  EXPECT_EQ(word_at(bytes, 64), 0u);
}

TEST(RawAddresses, HidesResultsAndArgumentsNearLowMappings) {
  const auto format = parse_trace_format("kmem", kFormat);
  ASSERT_TRUE(format);
  ByteWriter raw(ByteOrder::Little);
  raw.put64(42).put64(0).put64(0).put64(0x400123).put64(0x500123).put64(0x400456).put64(0x600000).put64(60);
  bool whole = false;
  const auto bytes = edited(RawAddresses(*format), raw.take(), whole);
  EXPECT_EQ(word_at(bytes, 24), 0x400123u);  // a time
  EXPECT_EQ(word_at(bytes, 32), 0x123u);
  EXPECT_EQ(word_at(bytes, 40), 0x456u);
  EXPECT_EQ(word_at(bytes, 48), 0x600000u);
}

TEST(RawAddresses, LeavesOutPhysicalMemory) {
  const auto format = parse_trace_format("kmem", R"(name: mm_page_alloc
ID: 44
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:unsigned long pfn;	offset:8;	size:8;	signed:0;
	field:unsigned int order;	offset:16;	size:4;	signed:0;
	field:u32 phys_base;	offset:20;	size:4;	signed:0;

print fmt: "%lx", REC->pfn
)");
  ASSERT_TRUE(format);
  ByteWriter raw(ByteOrder::Little);
  raw.put64(44).put64(0x12345).put32(3).put32(0x1000);
  bool whole = true;
  const auto bytes = edited(RawAddresses(*format), raw.take(), whole);
  EXPECT_FALSE(whole);
  EXPECT_EQ(word_at(bytes, 8), 0u);
  EXPECT_EQ(word_at(bytes, 16), 3u);
}

TEST(RawAddresses, KeepsNothingOfUnknownData) {
  bool whole = true;
  const auto bytes = edited(RawAddresses(), std::vector<std::byte>(9, std::byte{7}), whole);
  EXPECT_FALSE(whole);
  EXPECT_EQ(bytes, std::vector<std::byte>(9));
}

TEST(RawAddresses, StaysInShortData) {
  const auto format = parse_trace_format("kmem", kFormat);
  ASSERT_TRUE(format);
  for (std::size_t size = 0; size < 64; ++size) {
    bool whole = false;
    EXPECT_EQ(edited(RawAddresses(*format), std::vector<std::byte>(size, std::byte{0xff}), whole).size(), size);
  }
}

}  // namespace
}  // namespace peregrine
