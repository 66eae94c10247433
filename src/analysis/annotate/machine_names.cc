#include "analysis/annotate/machine_names.h"

#include <fmt/format.h>

#include <string>

#include "analysis/annotate/symbol_code.h"
#include "base/types.h"

namespace peregrine {

std::string MachineNames::name(u64 address) {
  const CodeFiles::Place place = files_.find_symbol(dso_, address);
  if (!place.symbol) return {};
  const auto [at, fresh] = names_.try_emplace(place.symbol.value);
  if (fresh) at->second = machine_.dsos().symbol_name(dso_, place.symbol);
  return place.offset == 0 ? at->second : fmt::format("{}+{:#x}", at->second, place.offset);
}

}  // namespace peregrine
