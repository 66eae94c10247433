// ScriptCounts: prints a `perf stat record` recording, which has counter readings instead of samples.
//
//   CPU   THREAD             VAL             ENA             RUN            TIME EVENT
//    -1     8045              75          794441          794441        50112021 page-faults
//
// Readings are running totals: a round (an interval, or the end) prints each counter's last one, by event, then thread.
// Fed record by record, in recording order.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "abi/record.h"
#include "abi/session_record.h"
#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {

// Whether these events were only counted, never sampled.
bool are_counted_only(const data::Evlist& evlist);

class ScriptCounts {
 public:
  // Both must outlive this; `names` are the events'.
  ScriptCounts(const data::Evlist& evlist, const std::vector<std::string>& names) : evlist_(evlist), names_(names) {}

  // Appends the output this record triggers.
  void put(std::string& out, const abi::RecordView& record);

 private:
  void put_round(std::string& out, u64 time);

  const data::Evlist& evlist_;
  const std::vector<std::string>& names_;
  std::vector<i32> threads_;
  std::map<std::tuple<u32, u32, i32>, abi::StatRecord> readings_;  // by event, thread, CPU
  bool begun_ = false;
};

}  // namespace peregrine
