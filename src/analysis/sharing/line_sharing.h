// LineSharing: which cache lines cores contend for: sampled data accesses (PERF_SAMPLE_DATA_SRC), aggregated per line
// and, within a line, per offset and accessing code.
//
//   line 0x7fff00001000 ── offset 0x8 ── code 0x401139: 12 records, 3 remote HITM …
//
// Private memory of two processes at one address counts as two lines. Latencies are sample weights, in cycles.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/stat/run_stats.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// What distinguishes rows of a line, besides the offset.
struct SharingKeys {
  bool pid = false, tid = false, code = true, dso = false;
};

struct SharingRow {
  u32 number = 0;  // index among all rows, in order of appearance
  u64 offset = 0;  // in the line
  u32 pid = 0, tid = 0;
  u64 code = 0;      // process address of the instruction
  Frame frame;       // of the code, when first seen
  std::string comm;  // of the tid
  AccessCounts counts;
  RunStats local_hitm, remote_hitm, local_peer, remote_peer, load;  // cycles
  std::map<u32, AccessCounts> cpus;
  std::set<u64> physical;  // distinct physical addresses of the line
};

struct SharedLine {
  u64 address = 0;
  u64 period = 0;  // sum over all rows
  AccessCounts counts;
  std::set<u64> physical;
  std::vector<SharingRow> rows;
};

class LineSharing : public ReplaySink {
 public:
  // `line_bytes`: a power of two. `rows`: also receives the samples of all rows, as one event, with the row number as
  // physical address; may be null.
  LineSharing(SharingKeys keys, u64 line_bytes, ReplaySink* rows)
      : keys_(keys), line_mask_(line_bytes - 1), rows_(rows) {}

  void begin(unsigned workers) override {
    if (rows_ != nullptr) rows_->begin(workers);
  }
  void begin_batch() override {
    if (rows_ != nullptr) rows_->begin_batch();
  }

  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // All lines by address. Call once, after the replay.
  std::vector<SharedLine> take_lines();
  const AccessCounts& all() const { return all_; }
  // Samples without access data.
  u64 without_data() const { return without_data_; }

 private:
  struct LineKey {
    u64 address;
    u32 pid;  // 0: possibly shared memory
    auto operator<=>(const LineKey&) const = default;
  };
  struct RowKey {
    u64 offset;
    u32 pid, tid;
    u64 code;
    u32 dso;
    auto operator<=>(const RowKey&) const = default;
  };
  struct Line {
    SharedLine sums;
    std::map<RowKey, SharingRow> rows;
  };
  struct Place {
    bool mapped = false, is_private = false;
  };
  static Place place_of(u64 address, const Resolver::Context& context, const Machine& machine);
  SharingRow& row_of(Line& line, const ReplaySample& sample, const Frame& frame, Resolver& resolver);

  SharingKeys keys_;
  u64 line_mask_;
  ReplaySink* rows_;
  u32 row_count_ = 0;
  std::map<LineKey, Line> lines_;
  AccessCounts all_;
  u64 without_data_ = 0;
};

}  // namespace peregrine
