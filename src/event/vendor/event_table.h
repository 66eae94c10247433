// libpfm4's events of processor models: tables that tools/make_event_tables.cc generates at build time for the target
// architecture. Each is compressed alone, because a process needs those of one model: 0.5 MB in the program instead of
// 2.4 MB, unpacked in about a millisecond.
//
// Only named_event.cc reads them.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine::event_table {

struct Row {
  std::string_view other;  // libpfm4's spelling, "BR_INST_RETIRED:NEAR_CALL"
  std::string_view text;   // its description
  u64 config = 0;          // the event register bits that a user may choose
  u64 extra = 0;           // the second register: offcore response, load latency, front end
};

struct Table {
  const char* name;  // libpfm4's name of the PMU: "skx", "skx_unc_imc"
  bool uncore;
  std::size_t count;                    // rows
  std::size_t place, packed, unpacked;  // bytes: offset in kPacked, size there, size when unpacked
};

// The rows of a table, sorted by name. Views refer to `bytes`.
struct Rows {
  std::vector<std::byte> bytes;
  std::vector<Row> rows;
};
Result<Rows> read_rows(const Table& table);

// The vendor's spelling of a name of libpfm4: "br_inst_retired.near_call".
std::string name_of(std::string_view other);

extern const Table kTables[];
extern const std::size_t kTableCount;
// Zstandard frames. Unpacked: all configs, all extras (8 bytes each, little-endian), all names, all texts
// (NUL-terminated).
extern const char kPacked[];

}  // namespace peregrine::event_table
