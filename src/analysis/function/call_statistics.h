// The cost of function calls: per function, and as a histogram of one function's durations.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct FunctionCost {
  std::string function;
  u64 calls = 0, total = 0, most = 0;  // nanoseconds
  u64 average() const { return calls == 0 ? 0 : total / calls; }
};

enum class FunctionOrder { Total, Average, Most, Calls, Name };

class FunctionProfile {
 public:
  void add(std::string_view function, u64 duration);
  // Largest first; ties by name.
  std::vector<FunctionCost> rows(FunctionOrder order) const;

 private:
  std::map<std::string, FunctionCost, std::less<>> functions_;
};

// Ranges of durations that double in width: [0, 1), [1, 2), [2, 4) … units; or ranges of equal width.
class DurationHistogram {
 public:
  struct Range {
    u64 low = 0, high = 0;  // in units; for the last range only `low` is valid
    u64 count = 0;
  };
  static constexpr unsigned kRanges = 22;

  // `unit`: in ns. `width`: of each range, in units; 0: powers of two. Durations below `least` or above `most` (in
  // units; 0: no bound) are counted in the first or last range.
  explicit DurationHistogram(u64 unit, u64 width = 0, u64 least = 0, u64 most = 0)
      : unit_(unit), width_(width), least_(least), most_(most) {}
  void add(u64 duration);  // nanoseconds
  std::vector<Range> ranges() const;
  u64 count() const { return count_; }
  u64 total() const { return total_; }  // nanoseconds
  u64 shortest() const { return count_ == 0 ? 0 : shortest_; }
  u64 longest() const { return longest_; }

 private:
  unsigned range_of(u64 units) const;
  u64 low_of(unsigned range) const;

  u64 unit_, width_, least_, most_;
  std::array<u64, kRanges> counts_{};
  u64 count_ = 0, total_ = 0, shortest_ = ~u64{0}, longest_ = 0;
};

}  // namespace peregrine
