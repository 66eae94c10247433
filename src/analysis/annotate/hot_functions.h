// Hot functions: the few functions with the most samples, with their code and hits per instruction; for pages, which
// cannot query later.
//
// Long functions are reduced to the neighbourhood of hit instructions. A function without code says why.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/symbol_listings.h"
#include "base/types.h"
#include "machine/machine.h"

namespace peregrine {

struct HotLine {
  u64 address = 0;
  u64 begin = 0, end = 0;         // from the symbol's start
  std::string text;               // mnemonic and operands, with symbolic addresses
  i32 leads_to = -1;              // for a jump within the function: the index of the target line
  u32 left_out = 0;               // number of omitted instructions before it
  std::vector<SourceRow> source;  // shown before the instruction
  std::string place;              // "/usr/src/work.c:8"
  std::vector<Hits> hits;         // by requested event
};

struct HotFunction {
  u32 symbol = 0;  // index in RecordedHits::symbols
  std::string name, dso, file;
  std::vector<Hits> total;  // by requested event
  std::vector<HotLine> lines;
  std::string missing;  // why the listing is empty
};

struct HotRequest {
  std::vector<u32> events;       // indices in the evlist
  std::size_t functions = 48;    // maximum with code
  std::size_t missing = 12;      // maximum without code
  std::size_t lines = 30'000;    // maximum lines in total
  std::size_t neighbours = 40;   // kept on each side of a hit instruction in a long function
  std::size_t long_lines = 600;  // a function with more lines is long
};

std::vector<HotFunction> hot_functions(const Machine& machine, const RecordedHits& hits, SymbolListings& listings,
                                       const HotRequest& request);

// The lines of one listing; exposed for tests.
std::vector<HotLine> hot_lines(const Listing& listing, const SymbolHits& hits, const HotRequest& request);

}  // namespace peregrine
