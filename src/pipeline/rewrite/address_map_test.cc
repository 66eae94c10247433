#include "pipeline/rewrite/address_map.h"

#include <gtest/gtest.h>

#include "pipeline/rewrite/address_layouts.h"

namespace peregrine {
namespace {

constexpr AddressMap::Areas kTestAreas{
    .pieces = 0x1000'0000, .pieces_end = 0x2000'0000, .gap = 0x10'0000, .pages = 0x7000'0000, .pages_end = 0x7001'0000};

TEST(AddressMap, MovesAMappingInOnePiece) {
  AddressMap map(kTestAreas);
  EXPECT_EQ(map.map(0x7f12'3456'7000, 0x3000), 0x1000'0000u);
  EXPECT_EQ(map.at(0x7f12'3456'7123), 0x1000'0123u);
  EXPECT_EQ(map.at(0x7f12'3456'9fff), 0x1000'2fffu);
  EXPECT_EQ(map.map(0x5555'0000'0000, 0x1000), 0x1010'3000u);
  EXPECT_EQ(map.at(0x7f12'3456'a000), 0x1000'3000u);  // of a call at its very end
  EXPECT_TRUE(map.covers(0x7f12'3456'9fff));
  EXPECT_FALSE(map.covers(0x7f12'3456'a000));
}

TEST(AddressMap, KeepsPartsOfAFileTogether) {
  AddressMap map(kTestAreas);
  map.map(0x7f12'3456'7000, 0x3000);
  EXPECT_EQ(map.map(0x7f12'3456'a000, 0x1000), 0x1000'3000u);
  // A part that is protected anew.
  EXPECT_EQ(map.map(0x7f12'3456'8000, 0x1000), 0x1000'1000u);
  // One that grows.
  EXPECT_EQ(map.map(0x7f12'3456'9000, 0x8000), 0x1000'2000u);
}

TEST(AddressMap, GivesPagesOutsideOfMappingsNumbersInOrder) {
  AddressMap map(kTestAreas);
  EXPECT_EQ(map.at(0x7ffc'1234'5678), 0x7000'0678u);
  EXPECT_EQ(map.at(0x7ffc'1234'0008), 0x7000'1008u);
  EXPECT_EQ(map.at(0x7ffc'1234'5fff), 0x7000'0fffu);
  EXPECT_EQ(map.at(0), 0u);
  EXPECT_EQ(map.at(0xffff'ffff'ff60'0400u), 0xffff'ffff'ff60'0400u);
  EXPECT_EQ(map.at(~u64{0}), ~u64{0});
}

TEST(AddressMap, TakesAMappingOverTwoOthersInOnePiece) {
  AddressMap map(kTestAreas);
  map.map(0x10000, 0x1000);
  map.map(0x20000, 0x1000);
  EXPECT_FALSE(map.extend(0x10000, 0x11000));
  const u64 start = map.map(0x10000, 0x11000);
  EXPECT_EQ(map.at(0x20010), start + 0x10010);
}

// As kernel modules grow the piece of the kernel, which lies right before their area.
TEST(AddressMap, KeepsOffAPieceThatGrewIntoTheArea) {
  AddressMap map(kTestAreas);
  map.pin(0x8000'0000, 0x8100'0000, 0x0f00'0000);
  EXPECT_EQ(map.map(0x8100'0000, 0x2000), 0x1000'0000u);
  EXPECT_EQ(map.map(0x9000'0000, 0x1000), 0x1010'2000u);
}

TEST(AddressMap, TakesAnyMapping) {
  AddressMap map(kTestAreas);
  for (u64 i = 0; i < 1000; ++i) {
    map.map(i << 54, ~u64{0});
    map.map(~u64{0} - i * 4096, i);
    map.map(i * 0x1800, 0x2000 + i);
    map.at(i << 33);
  }
  EXPECT_GT(map.size(), 0u);
}

abi::MmapRecord file_map(u32 pid, u64 start, u64 length, std::string_view name = "/opt/load") {
  abi::MmapRecord record;
  record.pid = pid;
  record.start = start;
  record.length = length;
  record.filename = name;
  return record;
}

u64 mapped(AddressLayouts& layouts, u32 pid, u64 start, u64 length) {
  abi::MmapRecord record = file_map(pid, start, length);
  layouts.map(record, abi::misc_bit::User);
  return record.start;
}

TEST(AddressLayouts, ForkKeepsALayoutAndExecBeginsOne) {
  AddressLayouts layouts;
  const u64 start = mapped(layouts, 1, 0x400000, 0x1000);
  layouts.fork(1, 2);
  EXPECT_EQ(layouts.at(false, 2, 0x400010), start + 0x10);
  layouts.exec(2);
  EXPECT_EQ(layouts.at(false, 2, 0x400010), start + 0x10);  // the stack of the call that made it
  EXPECT_GT(mapped(layouts, 2, 0x400000, 0x1000), start);
  EXPECT_GT(layouts.at(false, 2, 0x400010), start + 0x10);
  EXPECT_EQ(layouts.at(false, 1, 0x400010), start + 0x10);
}

TEST(AddressLayouts, ForgetsLayoutsThatNobodyHas) {
  AddressLayouts layouts;
  for (u32 i = 0; i < 10000; ++i) {
    layouts.fork(1, 2);
    layouts.exec(2);
    layouts.exec(2);
    mapped(layouts, 2, 0x10000 * i, 0x1000);
    layouts.exec(1);
    mapped(layouts, 1, 0x400000, 0x1000);
  }
  EXPECT_LT(layouts.spaces(), 10u);
}

TEST(AddressLayouts, ChildThatMapsOtherwiseGetsItsOwnLayout) {
  AddressLayouts layouts;
  const u64 first = mapped(layouts, 1, 0x400000, 0x1000), second = mapped(layouts, 1, 0x900000, 0x1000);
  layouts.fork(1, 2);
  const u64 own = mapped(layouts, 2, 0x400000, 0x600000);
  EXPECT_EQ(layouts.at(false, 2, 0x900010), own + 0x500010);
  EXPECT_EQ(layouts.at(false, 1, 0x400010), first + 0x10);
  EXPECT_EQ(layouts.at(false, 1, 0x900010), second + 0x10);
}

TEST(AddressLayouts, KeepsTheWidthOfAddresses) {
  AddressLayouts layouts;
  const u64 low = mapped(layouts, 1, 0x8048000, 0x1000), high = mapped(layouts, 1, 0x55d0'ab10'0000, 0x1000);
  EXPECT_LT(low, u64{1} << 32);
  EXPECT_GE(high, u64{1} << 32);
  EXPECT_EQ(layouts.at(false, 1, 0x8048010), low + 0x10);
}

TEST(AddressLayouts, KernelGoesToWhereItWasLinked) {
  AddressLayouts layouts;
  abi::MmapRecord kernel = file_map(~0u, 0xffffffffa5200000, 0x1000000, "[kernel.kallsyms]_text");
  kernel.page_offset = kernel.start;
  layouts.map(kernel, abi::misc_bit::Kernel);
  EXPECT_EQ(kernel.start, 0xffffffff81000000u);
  EXPECT_EQ(kernel.page_offset, 0xffffffff81000000u);
  EXPECT_EQ(kernel.length, 0x1000000u);
  EXPECT_EQ(layouts.at(false, 7, 0xffffffffa5200123), 0xffffffff81000123u);
  EXPECT_EQ(layouts.at(false, 7, 0xffffffffa7200123), 0xffffffff83000123u);  // data, behind the map
  abi::MmapRecord module = file_map(~0u, 0xffffffffc0456000, 0x2000, "[xfs]");
  layouts.map(module, abi::misc_bit::Kernel);
  EXPECT_EQ(module.start, 0xffffffffc0000000u);
}

TEST(AddressLayouts, LengthOfTheKernelDoesNotTellWhereModulesBegin) {
  AddressLayouts layouts;
  abi::MmapRecord kernel = file_map(~0u, 0xffffffffa5200000, 0x1b123000, "[kernel.kallsyms]_text");
  kernel.page_offset = kernel.start;
  layouts.map(kernel, abi::misc_bit::Kernel);
  EXPECT_EQ(kernel.length, 0x3f000000u);
}

TEST(AddressLayouts, OffsetsThatAreAddressesChangeWithThem) {
  AddressLayouts layouts;
  abi::MmapRecord stack = file_map(7, 0x7ffc12345000, 0x21000, "[stack]");
  stack.page_offset = 0x7ffffffde000;
  layouts.map(stack, abi::misc_bit::User);
  EXPECT_EQ(stack.page_offset, 0u);
  abi::MmapRecord memory = file_map(7, 0x7f0012345000, 0x1000, "//anon");
  memory.page_offset = memory.start;
  layouts.map(memory, abi::misc_bit::User);
  EXPECT_EQ(memory.page_offset, memory.start);
  abi::MmapRecord file = file_map(7, 0x7f0022345000, 0x1000);
  file.page_offset = 0x3000;
  layouts.map(file, abi::misc_bit::User);
  EXPECT_EQ(file.page_offset, 0x3000u);
}

}  // namespace
}  // namespace peregrine
