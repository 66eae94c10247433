// CfiTableImage: a CfiTable as bytes and back, to be kept for the next run.
//
//   version, sources, base, byte order, skipped, rows, sets, register rules, expressions, checksum
//
// The file is ours but lies where others may write: a table that is read back can be asked anything without harm, every
// index in it having been checked.
#pragma once
#include <optional>

#include "base/file/piece_file.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

class CfiTableImage {
 public:
  // `sources`: cfi_sources() of the files it was compiled from.
  static std::string encode(const CfiTable& table, u64 sources);
  // Nothing for a table of other sources, and for what is not whole or makes no sense.
  static std::optional<CfiTable> decode(PieceReader& reader, u64 sources);

 private:
  static bool is_sound(const CfiTable& table);
  static bool is_sound(const CfiTable& table, const CfiRegisterRule& rule);
};

}  // namespace peregrine
