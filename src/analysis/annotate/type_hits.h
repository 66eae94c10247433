// TypeHits: where inside each type of data the samples of each event fell.
//
// Collected by a TypeHitCollector, whose frames ask a DataTypeTable what their instructions touch.
#pragma once
#include <map>
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

// Samples of one kind of instruction, by whether the type of the data is known.
struct TypedInstruction {
  u64 known = 0, unknown = 0;
};

struct RecordedTypeHits {
  std::vector<TypeHits> types;
  std::vector<Hits> totals;  // by event
  UnknownTypeCounts unknown{};
  std::map<std::string, TypedInstruction> instructions;  // by mnemonic; empty: nobody asked

  u64 samples() const;
  // Those that these events hit, and what stands for unknown ones, hottest first.
  std::vector<u32> hottest(std::span<const u32> events) const;
};

class TypeHitCollector : public ReplaySink {
 public:
  // `table` outlives it. `dsos`: short or whole names of those whose code counts; empty: all. `by_instruction`: kinds
  // of instructions are counted, too.
  TypeHitCollector(DataTypeTable& table, std::unordered_set<std::string> dsos, bool by_instruction)
      : table_(table), dsos_(std::move(dsos)), by_instruction_(by_instruction) {}

  void begin(unsigned workers) override { workers_.resize(std::max<std::size_t>(workers, workers_.size())); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // After the replay. `events`: size of the evlist by then.
  RecordedTypeHits hits(std::size_t events) const;

 private:
  struct Worker {
    FrameDataTypes types;
    std::vector<std::vector<Hits>> counts;  // by event, then DataTypeId
    std::map<std::string, TypedInstruction> instructions;
    std::vector<TypedInstruction*> instruction;  // the same, by frame
  };
  void count_instruction(Worker& worker, const Frame& frame, FrameId id, bool known);

  DataTypeTable& table_;
  std::unordered_set<std::string> dsos_;
  bool by_instruction_;
  std::vector<Worker> workers_;
};

}  // namespace peregrine
