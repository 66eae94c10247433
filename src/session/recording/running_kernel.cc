#include "session/recording/running_kernel.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/fd.h"
#include "base/types.h"
#include "capture/synthesis/kernel.h"
#include "symbol/kernel/kallsyms.h"
#include "sys/root.h"

namespace peregrine {

std::unique_ptr<Machine> running_kernel(SymbolPlaces places) {
  auto machine = std::make_unique<Machine>(std::move(places));
  const auto map = [&](const std::string& name, u64 start, u64 length, u64 offset) {
    abi::MmapRecord record;
    record.pid = ~0u;
    record.start = start;
    record.length = length;
    record.page_offset = offset;
    record.filename = name;
    abi::SideBand side_band;
    side_band.body = record;
    side_band.misc = abi::misc_bit::Kernel;
    machine->apply(side_band, 1);
  };
  if (const auto text = kernel_text(Root()))
    map("[kernel.kallsyms]_text", text->start, text->end - text->start, text->start);
  const auto modules = read_file(machine->dsos().places().live_modules);
  for (const ModuleRange& module : parse_modules(modules ? std::string_view(*modules) : std::string_view()))
    if (module.start != 0) map(fmt::format("[{}]", module.name), module.start, module.size, 0);
  return machine;
}

}  // namespace peregrine
