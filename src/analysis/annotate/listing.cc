#include "analysis/annotate/listing.h"

#include <algorithm>

namespace peregrine {

Listing make_listing(std::string symbol, SymbolCode code, Disassembler& disassembler, AddressNames& names) {
  Listing listing{.symbol = std::move(symbol), .code = std::move(code)};
  const std::span<const std::byte> bytes = listing.code.bytes;
  ListingLine line;
  for (const CodeSection& section : listing.code.sections) {
    u64 offset = section.begin;
    const auto part = bytes.first(std::min<u64>(section.end, bytes.size()));
    while (offset < part.size() &&
           disassembler.decode(part.subspan(offset), listing.code.address + offset, line.code)) {
      line.offset = offset;
      if (line.code.target) {
        line.inside = *line.code.target - listing.code.address < bytes.size();
        line.target = names.name(*line.code.target);
      }
      if (line.code.data) line.data = names.name(*line.code.data);
      offset += line.code.size;
      listing.lines.push_back(std::move(line));
      line = {};
    }
  }
  return listing;
}

}  // namespace peregrine
