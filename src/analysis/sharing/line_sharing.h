// LineSharing: which cache lines cores fight over: sampled accesses of data (PERF_SAMPLE_DATA_SRC), summed up per line
// and, within a line, per offset and what made them.
//
//   line 0x7fff00001000 ── offset 0x8 ── code 0x401139: 12 records, 3 remote HITM …
//
// Private memory of two processes at one address is two lines. Latencies are the samples' weights: cycles.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/stat/run_stats.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// What tells the rows of a line apart, beside the offset.
struct SharingKeys {
  bool pid = false, tid = false, code = true, dso = false;
};

struct SharingRow {
  u32 number = 0;  // of all rows, in the order that they were met in
  u64 offset = 0;  // in the line
  u32 pid = 0, tid = 0;
  u64 code = 0;      // the instruction's address in the process
  Frame frame;       // of the code, first seen
  std::string comm;  // of the tid
  AccessCounts counts;
  RunStats local_hitm, remote_hitm, local_peer, remote_peer, load;  // cycles
  std::map<u32, AccessCounts> cpus;
  std::set<u64> physical;  // physical addresses of the line, one of each
};

struct SharedLine {
  u64 address = 0;
  u64 period = 0;  // of the samples of all rows
  AccessCounts counts;
  std::set<u64> physical;
  std::vector<SharingRow> rows;
};

class LineSharing : public ReplaySink {
 public:
  // `line_bytes`: a power of two. `rows`: also gets the samples of all rows, as of one event, with the row's number in
  // the place of the physical address; may be null.
  LineSharing(SharingKeys keys, u64 line_bytes, ReplaySink* rows)
      : keys_(keys), line_mask_(line_bytes - 1), rows_(rows) {}

  void begin(unsigned workers) override {
    if (rows_ != nullptr) rows_->begin(workers);
  }
  void begin_batch() override {
    if (rows_ != nullptr) rows_->begin_batch();
  }

  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // All lines by address; taken once, after the replay.
  std::vector<SharedLine> take_lines();
  const AccessCounts& all() const { return all_; }
  // Samples that do not tell of an access.
  u64 without_data() const { return without_data_; }

 private:
  struct LineKey {
    u64 address;
    u32 pid;  // 0: memory that processes may share
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
