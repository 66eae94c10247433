// TypeHits: where in each data type the samples of each event fell.
//
// Collected by a TypeHitCollector, which asks a DataTypeTable what each frame's instruction accesses.
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/data_type/data_type_table.h"
#include "analysis/data_type/frame_data_types.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "probe/type/type_source.h"

namespace peregrine {

struct TypeHits {
  std::string name;  // "struct foo", "(stack operation)"
  u64 size = 0;
  TypeRef type;                   // invalid if it has no members
  std::vector<EventHits> events;  // by event of the evlist
};

// Samples of one mnemonic, by whether the data type is known.
struct TypedInstruction {
  u64 known = 0, unknown = 0;
};

struct RecordedTypeHits {
  std::vector<TypeHits> types;
  std::vector<Hits> totals;  // by event
  UnknownTypeCounts unknown{};
  std::map<std::string, TypedInstruction> instructions;  // by mnemonic; empty if not requested

  u64 samples() const;
  // The types these events hit, including placeholders for unknown ones, hottest first.
  std::vector<u32> hottest(std::span<const u32> events) const;
};

class TypeHitCollector : public ReplaySink {
 public:
  // `table` must outlive this. `dsos`: short or long names of dsos to count; empty: all. `by_instruction`: also count
  // per mnemonic.
  TypeHitCollector(DataTypeTable& table, std::unordered_set<std::string> dsos, bool by_instruction)
      : table_(table), dsos_(std::move(dsos)), by_instruction_(by_instruction) {}

  void begin(unsigned workers) override { workers_.resize(std::max<std::size_t>(workers, workers_.size())); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Call after the replay. `events`: current size of the evlist.
  RecordedTypeHits hits(std::size_t events) const;

 private:
  struct Worker {
    FrameDataTypes types;
    std::vector<std::vector<Hits>> counts;  // by event, then DataTypeId
    std::map<std::string, TypedInstruction> instructions;
    std::vector<TypedInstruction*> instruction;  // by frame; points into `instructions`
  };
  void count_instruction(Worker& worker, const Frame& frame, FrameId id, bool known);

  DataTypeTable& table_;
  std::unordered_set<std::string> dsos_;
  bool by_instruction_;
  std::vector<Worker> workers_;
};

}  // namespace peregrine
