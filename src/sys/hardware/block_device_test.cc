#include "sys/hardware/block_device.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/machine.h"

namespace peregrine {
namespace {

TEST(BlockDevices, KnowTheDisksOfPartitions) {
  const testing::Machine machine;
  machine.write("/sys/devices/pci0/block/vda/dev = 254:0");
  machine.write("/sys/devices/pci0/block/vda/vda1/dev = 259:7");
  machine.write("/sys/devices/pci0/block/vda/vda1/partition = 1");
  const Root root = machine.root();
  std::filesystem::create_directories(root.path("/sys/class/block"));
  std::filesystem::create_symlink("../../devices/pci0/block/vda", root.path("/sys/class/block/vda"));
  std::filesystem::create_symlink("../../devices/pci0/block/vda/vda1", root.path("/sys/class/block/vda1"));
  const auto devices = read_block_devices(root);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "vda");
  EXPECT_EQ(devices[0].number, 254u << 20);
  EXPECT_EQ(devices[0].disk, 254u << 20);
  EXPECT_EQ(devices[1].name, "vda1");
  EXPECT_EQ(devices[1].number, 259u << 20 | 7);
  EXPECT_EQ(devices[1].disk, 254u << 20);
}

TEST(BlockDevices, HaveNumbersWithinTheBitsOfTheKernel) {
  EXPECT_EQ(parse_block_device_number("254:1"), 254u << 20 | 1);
  EXPECT_EQ(parse_block_device_number("4095,1048575", ":,"), 0xffffffffu);
  EXPECT_EQ(parse_block_device_number("4096:0"), std::nullopt);
  EXPECT_EQ(parse_block_device_number("8:1048576"), std::nullopt);
  EXPECT_EQ(parse_block_device_number("8"), std::nullopt);
  EXPECT_EQ(parse_block_device_number("8:x"), std::nullopt);
}

}  // namespace
}  // namespace peregrine
