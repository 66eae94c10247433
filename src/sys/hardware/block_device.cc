#include "sys/hardware/block_device.h"

#include <optional>
#include <string_view>

#include "base/number/parse_number.h"

namespace peregrine {

namespace {

// Parses "254:1".
std::optional<u32> number_of(std::optional<std::string> text) {
  if (!text) return std::nullopt;
  const std::string_view pair = *text;
  const std::size_t colon = pair.find(':');
  if (colon == pair.npos) return std::nullopt;
  const auto high = parse_number<u32>(pair.substr(0, colon)), low = parse_number<u32>(pair.substr(colon + 1));
  if (!high || !low) return std::nullopt;
  return *high << 20 | *low;
}

// The disk of a partition is the folder that contains it: …/block/vda/vda1.
std::optional<u32> disk_of(const Root& root, const std::string& folder) {
  if (!root.exists(folder + "/partition")) return std::nullopt;
  const auto target = root.link(folder);
  if (!target) return std::nullopt;
  const std::string_view above = std::string_view(*target).substr(0, target->rfind('/'));
  return number_of(root.line("/sys/class/block/" + std::string(above.substr(above.rfind('/') + 1)) + "/dev"));
}

}  // namespace

std::vector<BlockDevice> read_block_devices(const Root& root) {
  std::vector<BlockDevice> devices;
  for (const std::string& name : root.sorted_names("/sys/class/block")) {
    const std::string folder = "/sys/class/block/" + name;
    const auto number = number_of(root.line(folder + "/dev"));
    if (number) devices.push_back({*number, disk_of(root, folder).value_or(*number), name});
  }
  return devices;
}

}  // namespace peregrine
