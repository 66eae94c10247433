// report --symbols-report: for each dso with samples, where its symbols came from, or why they are missing.
#pragma once
#include <span>
#include <string>

#include "base/types.h"
#include "output/sink.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

struct SymbolsRow {
  std::string dso, build_id;
  u64 samples = 0, unnamed = 0;
  std::span<const SymbolSource> tried;  // in order
  std::string why, remedy;              // empty if complete
};

// One row per dso with its sources below. The percentage is of all samples without a name.
void print_symbols_page(Sink& out, std::span<const SymbolsRow> rows);

}  // namespace peregrine
