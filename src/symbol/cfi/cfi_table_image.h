// CfiTableImage: serializes a CfiTable, to be cached between runs.
//
//   version, sources, base, byte order, skipped, rows, sets, register rules, expressions, checksum
//
// The file is ours, but others may be able to write to it: every index is checked, so any query on a decoded table is
// safe.
#pragma once
#include <optional>
#include <string>

#include "base/file/piece_file.h"
#include "base/types.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

class CfiTableImage {
 public:
  // `sources`: cfi_sources() of the files the table was compiled from.
  static std::string encode(const CfiTable& table, u64 sources);
  // Nothing if the sources differ, or the image is truncated or invalid.
  static std::optional<CfiTable> decode(PieceReader& reader, u64 sources);

 private:
  static bool is_sound(const CfiTable& table);
  static bool is_sound(const CfiTable& table, const CfiRegisterRule& rule);
};

}  // namespace peregrine
