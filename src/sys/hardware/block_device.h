// Block devices of this machine, in /sys/class/block: disks and their partitions, by number and name.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct BlockDevice {
  u32 number = 0;    // major << 20 | minor, as the kernel's tracepoints have it
  u32 disk = 0;      // of a partition: the number of its disk; else `number`
  std::string name;  // "sda1"
};

// "254:1" with any of these separators. Nothing: other text, or more than the kernel's 12 and 20 bits.
std::optional<u32> parse_block_device_number(std::string_view text, std::string_view separators = ":");

// Sorted by name. Empty: /sys cannot be read.
std::vector<BlockDevice> read_block_devices(const Root& root);

}  // namespace peregrine
