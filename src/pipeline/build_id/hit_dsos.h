// The build-id pass: finds the dsos with samples in a finished recording, and the first and last sample times.
//
// One walk over the records in file order; memory is bounded by the maps and the distinct pages hit. Maps are never
// dropped and samples are matched at the end, so the order of records does not matter; if two maps covered a page in
// turn, both are marked. Not thread safe.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "abi/record.h"
#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"

namespace peregrine {

struct HitDso {
  std::string name;  // as mapped; "[kernel.kallsyms]" for the kernel
  bool kernel = false;
  BuildId id;  // from the MMAP2 record; usually empty
  bool hit = false;
  bool mapped = true;  // false only for a kernel without a map record
  // The first process that mapped it, and the inode; 0: not recorded.
  u32 pid = 0, major = 0, minor = 0;
  u64 inode = 0;
};

struct HitSummary {
  std::vector<HitDso> dsos;  // all mapped dsos: kernel first, then in order of their first map
  std::set<u32> processes;   // processes with samples in user code
  u64 samples = 0;
  u64 first_time = 0, last_time = 0;  // ns; 0 if samples have no time
};

class HitFinder {
 public:
  // The evlist must outlive this; it may grow.
  explicit HitFinder(const data::Evlist& evlist);
  HitFinder(HitFinder&&) noexcept;
  ~HitFinder();

  void add(const abi::RecordView& record);
  // Dsos hit since the last call, as far as their maps are known.
  std::vector<HitDso> take_new_hits();
  // Dsos mapped since the last call.
  std::vector<HitDso> take_new_maps();
  // All results; ends the walk.
  HitSummary summary();

 private:
  class State;
  std::unique_ptr<State> state_;
};

Result<HitSummary> find_hit_dsos(data::Reader& reader);

}  // namespace peregrine
