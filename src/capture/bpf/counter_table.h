// CounterTable: a mapped table of counters that BPF programs update: rows of u64, which may change while being read.
#pragma once
#include <cstddef>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class CounterTable {
 public:
  // `map`: a mappable array of rows * stride values.
  static Result<CounterTable> map(int map, std::size_t rows, std::size_t stride);
  CounterTable() = default;
  CounterTable(CounterTable&& other) noexcept;
  CounterTable& operator=(CounterTable&& other) noexcept;
  ~CounterTable();

  u64 at(std::size_t row, std::size_t counter) const { return place_[row * stride_ + counter]; }
  std::size_t rows() const { return rows_; }

 private:
  const volatile u64* place_ = nullptr;
  std::size_t rows_ = 0, stride_ = 1;
};

}  // namespace peregrine
