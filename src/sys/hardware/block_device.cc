#include "sys/hardware/block_device.h"

#include <cstddef>

#include "base/number/parse_number.h"

namespace peregrine {

namespace {

// The kernel's dev_t has 12 and 20 bits.
constexpr u32 kHighestMajor = (1u << 12) - 1, kHighestMinor = (1u << 20) - 1;

// Of the device in this folder of /sys.
std::optional<u32> number_in(const Root& root, const std::string& folder) {
  const auto text = root.line(folder + "/dev");
  return text ? parse_block_device_number(*text) : std::nullopt;
}

// The disk of a partition is the folder that contains it: …/block/vda/vda1.
std::optional<u32> disk_of(const Root& root, const std::string& folder) {
  if (!root.exists(folder + "/partition")) return std::nullopt;
  const auto target = root.link(folder);
  if (!target) return std::nullopt;
  const std::string_view above = std::string_view(*target).substr(0, target->rfind('/'));
  return number_in(root, "/sys/class/block/" + std::string(above.substr(above.rfind('/') + 1)));
}

}  // namespace

std::optional<u32> parse_block_device_number(std::string_view text, std::string_view separators) {
  const std::size_t separator = text.find_first_of(separators);
  if (separator == text.npos) return std::nullopt;
  const auto high = parse_number<u32>(text.substr(0, separator)), low = parse_number<u32>(text.substr(separator + 1));
  if (!high || !low || *high > kHighestMajor || *low > kHighestMinor) return std::nullopt;
  return *high << 20 | *low;
}

std::vector<BlockDevice> read_block_devices(const Root& root) {
  std::vector<BlockDevice> devices;
  for (const std::string& name : root.sorted_names("/sys/class/block")) {
    const std::string folder = "/sys/class/block/" + name;
    const auto number = number_in(root, folder);
    if (number) devices.push_back({*number, disk_of(root, folder).value_or(*number), name});
  }
  return devices;
}

}  // namespace peregrine
