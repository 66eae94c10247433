// The tables of script --count-by, --sum and --pair.
#pragma once
#include <span>
#include <string>

#include "analysis/field/event_pairs.h"
#include "analysis/field/field_tally.h"
#include "output/sink.h"

namespace peregrine {

struct TallyTitles {
  std::string key;    // "next_comm"; empty without --count-by
  std::string value;  // "bytes_req"; empty: sample counts
};
void print_tally(std::span<const TallyRow> rows, const TallyTitles& titles, Sink& out);

struct PairTitles {
  std::string start, end, keys, group;
};
// Rows, the distribution of all times, and the number of unpaired samples.
void print_pairs(const EventPairs& pairs, const PairTitles& titles, Sink& out);

}  // namespace peregrine
