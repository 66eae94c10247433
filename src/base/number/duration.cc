#include "base/number/duration.h"

#include <span>

#include "base/number/number_unit.h"

namespace peregrine {

std::optional<u64> nanoseconds_of(std::string_view text, bool bare) {
  constexpr NumberUnit kUnits[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  return parse_with_unit(text, std::span(kUnits).subspan(bare ? 0 : 1));
}

}  // namespace peregrine
