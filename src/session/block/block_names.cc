#include "session/block/block_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>

#include "abi/blktrace_record.h"
#include "session/recording/device_names.h"

namespace peregrine {

BlockNames BlockNames::of_recording(const data::Reader& reader, const Root& root) {
  return BlockNames(recorded_block_devices(reader, root));
}

const BlockDevice* BlockNames::known(u32 number) const {
  const auto found = std::ranges::find(devices_, number, &BlockDevice::number);
  return found == devices_.end() ? nullptr : &*found;
}

std::string BlockNames::name(u32 number) const {
  const BlockDevice* const device = known(number);
  if (device != nullptr) return device->name;
  return fmt::format("{},{}", abi::block_major(number), abi::block_minor(number));
}

u32 BlockNames::disk_of(u32 number) const {
  const BlockDevice* const device = known(number);
  return device == nullptr ? number : device->disk;
}

Result<u32> BlockNames::find(std::string_view word) const {
  std::string_view name = word;
  if (name.starts_with("/dev/")) name.remove_prefix(5);
  const auto found = std::ranges::find(devices_, name, &BlockDevice::name);
  if (found != devices_.end()) return found->number;
  if (const auto number = parse_block_device_number(word, ":,")) return *number;
  return std::unexpected(Error{ErrorKind::NotFound, fmt::format("block device '{}' not found", word)}.with_hint(
      "lsblk lists the devices; MAJOR:MINOR is also accepted"));
}

std::vector<u32> BlockNames::with_partitions(u32 number) const {
  std::vector<u32> numbers{number};
  for (const BlockDevice& device : devices_)
    if (device.disk == number && device.number != number) numbers.push_back(device.number);
  return numbers;
}

}  // namespace peregrine
