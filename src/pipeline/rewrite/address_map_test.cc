#include "pipeline/rewrite/address_map.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "abi/record.h"
#include "abi/side_band.h"
#include "pipeline/rewrite/address_hiding.h"
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
  EXPECT_EQ(map.at(0x7f12'3456'a000), 0x1000'3000u);  // of a call at the very end of a mapping
  EXPECT_TRUE(map.covers(0x7f12'3456'9fff));
  EXPECT_FALSE(map.covers(0x7f12'3456'a000));
}

TEST(AddressMap, KeepsPartsOfAFileTogether) {
  AddressMap map(kTestAreas);
  map.map(0x7f12'3456'7000, 0x3000);
  EXPECT_EQ(map.map(0x7f12'3456'a000, 0x1000), 0x1000'3000u);
  // A part with changed protection.
  EXPECT_EQ(map.map(0x7f12'3456'8000, 0x1000), 0x1000'1000u);
  // A growing mapping.
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

// Like kernel modules, which grow the kernel's piece, right below their area.
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
  EXPECT_EQ(layouts.at(false, 2, 0x400010), start + 0x10);  // the stack of the process that called exec
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
  EXPECT_EQ(kernel.length, 0x3f000000u);
  EXPECT_EQ(layouts.at(false, 7, 0xffffffffa5200123), 0xffffffff81000123u);
  EXPECT_EQ(layouts.at(false, 7, 0xffffffffa7200123), 0xffffffff83000123u);  // data after the map
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

// Near the end of the area, whatever follows the image is modules.
TEST(AddressLayouts, ModulesNeverMoveWithTheKernel) {
  AddressLayouts layouts;
  abi::MmapRecord kernel = file_map(~0u, 0xffffffffbe000000, 0x2210000, "[kernel.kallsyms]_text");
  kernel.page_offset = kernel.start;
  layouts.map(kernel, abi::misc_bit::Kernel);
  EXPECT_EQ(kernel.length, 0x3f000000u);
  EXPECT_TRUE(layouts.covers(false, 7, 0xffffffffbfffffff));
  EXPECT_FALSE(layouts.covers(false, 7, 0xffffffffc0000000));
  abi::MmapRecord module = file_map(~0u, 0xffffffffc0000000, 0x2000, "[ext4]");
  layouts.map(module, abi::misc_bit::Kernel);
  EXPECT_EQ(module.start, 0xffffffffc0000000u);  // not 0xffffffff83000000
  EXPECT_FALSE(layouts.keeps_distance(0xffffffffbe000000, 0xffffffffc0000000));
  // Within what may be the image, as on arm64.
  abi::MmapRecord inner = file_map(~0u, 0xffffffffbf000000, 0x2000, "[xfs]");
  layouts.map(inner, abi::misc_bit::Kernel);
  EXPECT_FALSE(layouts.keeps_distance(0xffffffffbe000000, 0xffffffffbf000000));
  EXPECT_TRUE(layouts.keeps_distance(0xffffffffbe000000, 0xffffffffbf002000));
}

TEST(AddressLayouts, LengthOfTheLastModuleDoesNotTellItsAddress) {
  AddressLayouts layouts;
  for (const u64 start : {0xffffffffc0210000, 0xffffffffc1210000}) {
    abi::MmapRecord module = file_map(~0u, start, ~u64{0} - start, "[xfs]");
    layouts.map(module, abi::misc_bit::Kernel);
    EXPECT_EQ(module.length, 0x1000000u);
  }
}

TEST(AddressLayouts, HeapOfALowProgramIsNearIt) {
  AddressLayouts layouts;
  mapped(layouts, 1, 0x400000, 0x5000);
  EXPECT_TRUE(layouts.is_near_low_map(false, 1, 0x1c3d010));
  EXPECT_FALSE(layouts.is_near_low_map(false, 1, 0x3000));
  EXPECT_FALSE(layouts.is_near_low_map(false, 1, 0xf0000000));
  EXPECT_FALSE(layouts.is_near_low_map(false, 2, 0x1c3d010));
}

TEST(AddressLayouts, OffsetsOfDevicesArePhysicalAddresses) {
  AddressLayouts layouts;
  for (const char* const name : {"/sys/devices/pci0000:00/resource0", "/dev/uio0", "/dev/mem", "/SYSV0000 (deleted)"}) {
    abi::MmapRecord device = file_map(7, 0x7f1200000000, 0x1000, name);
    device.page_offset = 0xfe012000;
    layouts.map(device, abi::misc_bit::User);
    EXPECT_EQ(device.page_offset, 0u) << name;
  }
}

TEST(AddressHiding, NamesHaveNumbersInPlaceOfAddresses) {
  NameHiding names;
  std::string kernel = "probe:abs_ffffffffa5300010", again = "p_0xffffffffa5300020_0", program = "a_5592a2bc22a0";
  names.edit(kernel);
  names.edit(again);
  names.edit(program);
  EXPECT_EQ(kernel, "probe:abs_0000000000001010");
  EXPECT_EQ(again, "p_0x0000000000001020_0");
  EXPECT_EQ(program, "a_0000000022a0");
  std::string other = "sched:sched_switch deadbeef bpf_prog_6deef7357e7b4530";
  names.edit(other);
  EXPECT_EQ(other, "sched:sched_switch deadbeef bpf_prog_6deef7357e7b4530");
}

TEST(AddressHiding, CodeWithAddressesIsNotKept) {
  AddressLayouts layouts;
  abi::MmapRecord kernel = file_map(~0u, 0xffffffffa5200000, 0x1000000, "[kernel.kallsyms]_text");
  kernel.page_offset = kernel.start;
  layouts.map(kernel, abi::misc_bit::Kernel);
  const auto is_free = [&](std::initializer_list<u8> code) {
    return is_free_of_addresses(std::as_bytes(std::span(code.begin(), code.size())), 0xffffffffa5300010, layouts);
  };
  EXPECT_TRUE(is_free({0x0f, 0x1f, 0x44, 0x00, 0x00}));
  EXPECT_TRUE(is_free({0xe8, 0xfb, 0x0f, 0x00, 0x00, 0xc3}));
  EXPECT_TRUE(is_free({0x66, 0x90}));
  EXPECT_TRUE(is_free({0xcc}));
  EXPECT_FALSE(is_free({0xe8, 0xfb, 0x0f, 0x00, 0x1e}));
  EXPECT_FALSE(is_free({0x48, 0xb8, 0x78, 0x56, 0x34, 0x12, 0x91, 0x88, 0xff, 0xff}));
  EXPECT_FALSE(is_free({0x0f, 0x1f, 0x44, 0x00, 0x12}));
  EXPECT_FALSE(is_free({0xe8, 0xfb, 0x0f}));
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
