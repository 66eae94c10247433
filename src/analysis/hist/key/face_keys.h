// The frame texts that a table with these sort keys shows, for its FaceTable.
#pragma once
#include <algorithm>
#include <span>

#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

inline FaceKeys face_keys(std::span<const SortKey> keys) {
  const auto has = [&](SortKey key) { return std::ranges::find(keys, key) != keys.end(); };
  return {.dso = has(SortKey::Dso),
          .symbol = has(SortKey::Symbol),
          .line = has(SortKey::SourceLine),
          .file = has(SortKey::SourceFile),
          .size = has(SortKey::SymbolSize),
          .dso_size = has(SortKey::DsoSize)};
}

}  // namespace peregrine
