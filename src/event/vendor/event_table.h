// libpfm4's events of processor models: constant arrays that tools/make_event_tables.cc generates at build time for the
// target architecture. They need no relocations and no start-up time: strings are offsets into one pool.
//
// Only named_event.cc reads them.
#pragma once
#include <cstddef>

#include "base/types.h"

namespace peregrine::event_table {

struct Row {
  u32 name;    // "br_inst_retired.near_call": offset in kStrings, like the next two
  u32 other;   // libpfm4's spelling, "BR_INST_RETIRED:NEAR_CALL"
  u32 text;    // its description
  u64 config;  // the event register bits that a user may choose
  u64 extra;   // the second register: offcore response, load latency, front end
};

struct Table {
  u32 name;  // libpfm4's name of the PMU: "skx", "skx_unc_imc"
  std::size_t first, count;
  bool uncore;
};

extern const Row kRows[];  // rows of a table are contiguous and sorted by name
extern const Table kTables[];
extern const std::size_t kTableCount;
extern const char kStrings[];

}  // namespace peregrine::event_table
