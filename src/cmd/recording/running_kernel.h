// The running kernel, with the symbols given by options, for live commands.
#pragma once
#include <memory>

#include "cli/frame/config.h"
#include "cmd/recording/kept_files.h"
#include "cmd/recording/recording.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "session/recording/running_kernel.h"

namespace peregrine::cmd {

inline SymbolPlaces running_kernel_places(const SymbolOptions& symbols, const Config& config) {
  SymbolPlaces places;
  places.kallsyms = symbols.kallsyms;
  places.vmlinux = symbols.vmlinux;
  places.own_cache_folder = config.cache_directory();
  places.kept = kept_files(config);
  return places;
}

inline std::unique_ptr<Machine> running_kernel(const SymbolOptions& symbols, const Config& config) {
  return running_kernel(running_kernel_places(symbols, config));
}

}  // namespace peregrine::cmd
