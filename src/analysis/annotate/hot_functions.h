// Hot functions: the few functions that most samples hit, with their code and what fell on each instruction; for
// pictures, which cannot ask for more later.
//
// Of a long function only the neighbourhood of what was hit is kept. A function without code says why.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/symbol_listings.h"

namespace peregrine {

struct HotLine {
  u64 address = 0;
  u64 begin = 0, end = 0;         // from the symbol's start
  std::string text;               // mnemonic and operands, addresses named
  i32 leads_to = -1;              // a jump inside: the line's place
  u32 left_out = 0;               // instructions before it that are not here
  std::vector<SourceRow> source;  // what is shown before it
  std::string place;              // "/usr/src/work.c:8"
  std::vector<Hits> hits;         // by event asked for
};

struct HotFunction {
  u32 symbol = 0;  // place in RecordedHits::symbols
  std::string name, dso, file;
  std::vector<Hits> total;  // by event asked for
  std::vector<HotLine> lines;
  std::string missing;  // why there are no lines
};

struct HotRequest {
  std::vector<u32> events;       // of the evlist
  std::size_t functions = 48;    // with code, at most
  std::size_t missing = 12;      // without, at most
  std::size_t lines = 30'000;    // of all together, at most
  std::size_t neighbours = 40;   // kept on each side of a hit instruction of a long function
  std::size_t long_lines = 600;  // longer than this is long
};

std::vector<HotFunction> hot_functions(const Machine& machine, const RecordedHits& hits, SymbolListings& listings,
                                       const HotRequest& request);

// The lines of one listing; split from the above for tests.
std::vector<HotLine> hot_lines(const Listing& listing, const SymbolHits& hits, const HotRequest& request);

}  // namespace peregrine
