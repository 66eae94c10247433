#include "capture/bpf/counter_table.h"

#include <sys/mman.h>

#include <utility>

namespace peregrine {

Result<CounterTable> CounterTable::map(int map, std::size_t rows, std::size_t stride) {
  void* place = ::mmap(nullptr, rows * stride * sizeof(u64), PROT_READ, MAP_SHARED, map, 0);
  if (place == MAP_FAILED) return fail_errno("cannot map the counters");
  CounterTable table;
  table.place_ = static_cast<const volatile u64*>(place);
  table.rows_ = rows;
  table.stride_ = stride;
  return table;
}

CounterTable::CounterTable(CounterTable&& other) noexcept { *this = std::move(other); }

CounterTable& CounterTable::operator=(CounterTable&& other) noexcept {
  std::swap(place_, other.place_);
  std::swap(rows_, other.rows_);
  std::swap(stride_, other.stride_);
  return *this;
}

CounterTable::~CounterTable() {
  if (place_ != nullptr) ::munmap(const_cast<u64*>(place_), rows_ * stride_ * sizeof(u64));
}

}  // namespace peregrine
