// PageStore: finished ring-buffer pages of all CPUs, in one file, until the trace.dat file that gets them in the order
// of CPUs is written. Memory: 8 bytes for each page, and one buffer.
#pragma once
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::data {

class PageStore {
 public:
  // `file`: empty, for reading and writing.
  PageStore(Fd file, u32 page_size) : file_(std::move(file)), page_size_(page_size) {}

  u32 page_size() const { return page_size_; }
  // Errors: the disk is full.
  Result<> append(u32 cpu, Bytes page);
  Result<> flush();
  // The number of pages, by CPU.
  std::map<u32, u64> counts() const;
  // Up to `most` pages of this CPU from the `first` on. Call flush() before.
  Result<std::vector<std::byte>> read(u32 cpu, u64 first, u64 most) const;

 private:
  Fd file_;
  u32 page_size_;
  u64 stored_ = 0;                          // pages
  std::vector<std::byte> pending_;          // pages that are not written yet
  std::map<u32, std::vector<u64>> of_cpu_;  // numbers of their pages in the file
};

}  // namespace peregrine::data
