#include "trial/plan/memory_size.h"

#include <fmt/format.h>

#include <expected>

#include "base/number/number_unit.h"
#include "base/text/ascii.h"

namespace peregrine {

Result<u64> parse_memory_size(std::string_view text) {
  constexpr u64 kMost = u64{1} << 50;
  constexpr NumberUnit kUnits[] = {{"", 1},
                                   {"b", 1},
                                   {"k", u64{1} << 10},
                                   {"kb", u64{1} << 10},
                                   {"m", u64{1} << 20},
                                   {"mb", u64{1} << 20},
                                   {"g", u64{1} << 30},
                                   {"gb", u64{1} << 30},
                                   {"t", u64{1} << 40},
                                   {"tb", u64{1} << 40}};
  if (const u64 bytes = parse_with_unit(lower_case(text), kUnits, kMost).value_or(0); bytes != 0) return bytes;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("Invalid size:{}", text), "such as 64KB, 1MB, 2GB"});
}

}  // namespace peregrine
