// The frame texts that a table with these sort keys shows, for its FaceTable.
#pragma once
#include <algorithm>
#include <span>

#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

inline FaceKeys face_keys(std::span<const SortKey> keys) {
  const auto has = [&](KeyKind kind) {
    return std::ranges::any_of(keys, [&](SortKey key) { return key->source == KeySource::Frame && key->kind == kind; });
  };
  return {.dso = has(KeyKind::Dso),
          .symbol = has(KeyKind::Symbol),
          .line = has(KeyKind::Line),
          .file = has(KeyKind::File),
          .size = has(KeyKind::SymbolSize),
          .dso_size = has(KeyKind::DsoSize)};
}

}  // namespace peregrine
