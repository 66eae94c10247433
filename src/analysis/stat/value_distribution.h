// ValueDistribution: how often a tracepoint field had each value, over all runs, in readable ranges.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/number/wide_number.h"
#include "base/types.h"

namespace peregrine {

// Values counted one at a time, by powers of two.
struct CountedValues {
  std::vector<u64> slots;  // as in capture/bpf/counting/value_count.h
  i128 sum = 0;

  void add(i128 value);
};

struct ValueRange {
  std::string low, high;  // inclusive; "" if unbounded
  u64 count = 0;
};

class ValueDistribution {
 public:
  // `bounds`: ascending range starts; empty for powers of two.
  ValueDistribution(std::string name, bool is_signed, std::vector<i64> bounds)
      : name_(std::move(name)), is_signed_(is_signed), bounds_(std::move(bounds)) {}

  // One run's slots, as in capture/bpf/counting/value_count.h.
  void add(std::span<const u64> slots);
  void add(const CountedValues& counted);

  const std::string& name() const { return name_; }
  u64 values() const;
  double average() const;  // 0 without values
  // From the first to the last non-empty range, including empty ones between.
  std::vector<ValueRange> ranges() const;

 private:
  std::size_t slot_count() const;
  ValueRange range(std::size_t slot) const;

  std::string name_;
  bool is_signed_ = false;
  std::vector<i64> bounds_;
  std::vector<u64> slots_;  // all but kSum
  i128 sum_ = 0;
};

}  // namespace peregrine
