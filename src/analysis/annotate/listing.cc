#include "analysis/annotate/listing.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/types.h"
#include "insn/instruction.h"

namespace peregrine {

namespace {

void add_line(Listing& listing, Instruction instruction, CodeNames& names) {
  ListingLine line{.code = std::move(instruction)};
  line.offset = line.code.address - listing.code.address;
  if (line.code.target) {
    line.inside = *line.code.target - listing.code.address < listing.code.bytes.size();
    line.target = names.name(*line.code.target);
  }
  if (line.code.data) line.data = names.name(*line.code.data);
  listing.lines.push_back(std::move(line));
}

}  // namespace

Listing make_listing(std::string symbol, SymbolCode code, std::vector<Instruction> instructions, CodeNames& names) {
  Listing listing{.symbol = std::move(symbol), .code = std::move(code)};
  for (Instruction& instruction : instructions)
    if (instruction.address - listing.code.address < listing.code.bytes.size())
      add_line(listing, std::move(instruction), names);
  return listing;
}

Listing make_listing(std::string symbol, SymbolCode code, Disassembler& disassembler, CodeNames& names) {
  Listing listing{.symbol = std::move(symbol), .code = std::move(code)};
  const std::span<const std::byte> bytes = listing.code.bytes;
  Instruction instruction;
  for (const CodeSection& section : listing.code.sections) {
    u64 offset = section.begin;
    const auto part = bytes.first(std::min<u64>(section.end, bytes.size()));
    while (offset < part.size() &&
           disassembler.decode(part.subspan(offset), listing.code.address + offset, instruction)) {
      offset += instruction.size;
      add_line(listing, std::move(instruction), names);
    }
  }
  return listing;
}

}  // namespace peregrine
