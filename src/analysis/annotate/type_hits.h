// TypeHits: where inside each type of data the samples of each event fell.
//
// Collected by a TypeHitCollector, whose frames ask a DataTypeTable what their instructions touch.
#pragma once
#include <memory>
#include <unordered_set>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/data_type/frame_data_types.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct TypeHits {
  std::string name;  // "struct foo", "(stack operation)"
  u64 size = 0;
  TypeRef type;                   // invalid: it has no members
  std::vector<EventHits> events;  // by event of the evlist
};

struct RecordedTypeHits {
  std::vector<TypeHits> types;
  std::vector<Hits> totals;  // by event
  UnknownTypeCounts unknown{};

  u64 samples() const;
  // Those with members that these events hit, hottest first.
  std::vector<u32> hottest(std::span<const u32> events) const;
};

class TypeHitCollector : public ReplaySink {
 public:
  // `table` outlives it. `dsos`: short or whole names of those whose code counts; empty: all.
  TypeHitCollector(DataTypeTable& table, std::unordered_set<std::string> dsos)
      : table_(table), dsos_(std::move(dsos)) {}

  void begin(unsigned workers) override { workers_.resize(std::max<std::size_t>(workers, workers_.size())); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // After the replay. `events`: size of the evlist by then.
  RecordedTypeHits hits(std::size_t events) const;

 private:
  struct Worker {
    FrameDataTypes types;
    std::vector<std::vector<Hits>> counts;  // by event, then DataTypeId
  };
  bool refused(const Frame& frame, const Resolver& resolver) const;

  DataTypeTable& table_;
  std::unordered_set<std::string> dsos_;
  std::vector<Worker> workers_;
};

}  // namespace peregrine
