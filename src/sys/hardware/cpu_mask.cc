#include "sys/hardware/cpu_mask.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/number/parse_number.h"

namespace peregrine {

std::vector<u32> cpus_of_mask(std::string_view mask) {
  constexpr std::size_t kMostDigits = 4096;  // the largest kernels have 8,192 CPUs: 2,048 digits
  std::vector<u32> cpus;
  u32 first = 0;
  for (auto at = mask.rbegin(); at != mask.rend() && first < 4 * kMostDigits; ++at) {
    if (*at == ',') continue;
    const auto digit = parse_number<u32>({&*at, 1}, 16);
    if (!digit) return {};
    for (u32 bit = 0; bit < 4; ++bit)
      if ((*digit >> bit & 1) != 0) cpus.push_back(first + bit);
    first += 4;
  }
  return cpus;
}

std::string cpu_mask(const CpuList& cpus) {
  std::vector<u32> groups;
  for (const auto cpu : cpus) {
    const auto number = static_cast<std::size_t>(cpu);
    if (groups.size() <= number / 32) groups.resize(number / 32 + 1);
    groups[number / 32] |= u32{1} << (number % 32);
  }
  std::string text;
  for (std::size_t i = groups.size(); i-- > 0;)
    text += text.empty() ? fmt::format("{:x}", groups[i]) : fmt::format(",{:08x}", groups[i]);
  return text;
}

}  // namespace peregrine
