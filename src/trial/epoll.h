// epoll benchmarks: threads waiting for files that another thread writes, and threads that add, modify and remove
// files.
#pragma once
#include <array>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "trial/timed_run.h"

namespace peregrine {

struct EpollPlan {
  TimedPlan timed{.seconds = 8};
  unsigned files = 64;              // per thread
  unsigned nesting = 0;             // epoll instances between the files' and the one waited on
  bool one_each = false;            // one instance per thread
  bool edge = false, once = false;  // EPOLLET, EPOLLONESHOT
  bool blocking = true;             // wait; otherwise poll
  bool random = false;              // order in which files are written or changed
};

// Per thread; the caller can show the addresses of the lists.
using EpollFiles = std::vector<std::vector<Fd>>;
// Raises the open file limit if needed. Errors: System.
Result<EpollFiles> open_epoll_files(const EpollPlan& plan);

// How often each thread saw a file and read from it.
Result<std::vector<u64>> run_epoll_wait(const EpollPlan& plan, const EpollFiles& files);

enum EpollChange { kAdded, kModified, kRemoved };
// How often each thread did each change.
Result<std::vector<std::array<u64, 3>>> run_epoll_changes(const EpollPlan& plan, const EpollFiles& files);

}  // namespace peregrine
