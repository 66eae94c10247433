// ValueCounter: counts how the values of tracepoint fields are distributed, by a BPF program per field, inside the
// kernel: nothing is recorded.
//
// Life as that of CounterSet: open → enable (or the workload's exec) → slots → disable. What the slots mean stands in
// value_count.h. One thread.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/fd.h"
#include "capture/target/target.h"
#include "event/tracepoint/value_field.h"
#include "sys/process/limit.h"

struct value_count;  // the skeleton that bpftool writes

namespace peregrine {

class Watcher;

class ValueCounter {
 public:
  // Attrs of the fields' events say whether children are followed and whether exec starts counting. `bounds`: where
  // ranges begin, ascending, at most 64; none for powers of two. Errors: the kernel's.
  static Result<ValueCounter> open(std::span<const ValueField> fields, std::span<const i64> bounds,
                                   const Target& target, const PerfLimits& limits);
  ValueCounter(ValueCounter&&) noexcept;
  ValueCounter& operator=(ValueCounter&&) noexcept;
  ~ValueCounter();

  Result<> enable();
  Result<> disable();
  // Of one field: a count per slot.
  std::vector<u64> slots(std::size_t field) const;
  // Hits that the programs did not see.
  u64 missed() const;

 private:
  struct Destroy {
    void operator()(value_count* skeleton) const;
  };
  ValueCounter();
  Result<> store_filters(std::span<const ValueField> fields);
  Result<> attach(const ValueField& field);

  std::unique_ptr<value_count, Destroy> skeleton_;
  std::unique_ptr<Watcher> watcher_;
  std::vector<Fd> programs_, events_;
};

}  // namespace peregrine
