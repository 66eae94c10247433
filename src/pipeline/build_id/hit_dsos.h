// The build-id pass: which dsos do the samples of a finished recording fall into, and when were the first and last
// taken.
//
// One walk over the records in file order, memory bounded by the maps and by the distinct pages hit. Maps are kept for
// ever and samples are matched at the end, so the order of records does not matter; a page that two maps covered one
// after the other marks both. Not thread safe.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "data/reader/reader.h"

namespace peregrine {

struct HitDso {
  std::string name;  // as mapped; "[kernel.kallsyms]" for the kernel
  bool kernel = false;
  BuildId id;  // from the MMAP2 record, mostly empty
  bool hit = false;
  bool mapped = true;  // false of the kernel alone, when no record maps it
  // Who mapped it first, and which inode; 0: not recorded.
  u32 pid = 0, major = 0, minor = 0;
  u64 inode = 0;
};

struct HitSummary {
  std::vector<HitDso> dsos;  // all that were mapped: the kernel first, then in order of their first map
  std::set<u32> processes;   // with samples of user code
  u64 samples = 0;
  u64 first_time = 0, last_time = 0;  // ns; 0 when samples carry no time
};

class HitFinder {
 public:
  // The evlist must live as long, and may grow.
  explicit HitFinder(const data::Evlist& evlist);
  HitFinder(HitFinder&&) noexcept;
  ~HitFinder();

  void add(const abi::RecordView& record);
  // Those that samples fell into since the last call, as far as their maps were seen by now.
  std::vector<HitDso> take_new_hits();
  // Those mapped since the last call.
  std::vector<HitDso> take_new_maps();
  // Everything; ends the walk.
  HitSummary summary();

 private:
  class State;
  std::unique_ptr<State> state_;
};

Result<HitSummary> find_hit_dsos(data::Reader& reader);

}  // namespace peregrine
