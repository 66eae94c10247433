// The events of processor models as libpfm4 knows them: constant arrays that tools/make_event_tables.cc writes at build
// time, for the architecture that the program is built for. No relocations and no start-up cost: strings are places in
// one pool.
//
// Only named_event.cc reads this.
#pragma once
#include <cstddef>

#include "base/types.h"

namespace peregrine::event_table {

struct Row {
  u32 name;    // "br_inst_retired.near_call", a place in kStrings, as are the next two
  u32 other;   // libpfm4's spelling, "BR_INST_RETIRED:NEAR_CALL"
  u32 text;    // what it counts
  u64 config;  // the bits of the event register that a user may choose
  u64 extra;   // the second register: offcore response, load latency, front end
};

struct Table {
  u32 name;  // libpfm4's name of the PMU: "skx", "skx_unc_imc"
  std::size_t first, count;
  bool uncore;
};

extern const Row kRows[];  // those of one table together, sorted by name
extern const Table kTables[];
extern const std::size_t kTableCount;
extern const char kStrings[];

}  // namespace peregrine::event_table
