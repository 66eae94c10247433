// Trials of epoll: threads that wait for files which another thread writes to, and threads that add, change and remove
// files.
#pragma once
#include <array>
#include <vector>

#include "base/fd.h"
#include "trial/timed_run.h"

namespace peregrine {

struct EpollPlan {
  TimedPlan timed{.seconds = 8};
  unsigned files = 64;              // of each thread
  unsigned nesting = 0;             // epoll instances between the files' and the one that is waited at
  bool one_each = false;            // an instance for each thread
  bool edge = false, once = false;  // EPOLLET, EPOLLONESHOT
  bool blocking = true;             // wait; otherwise look again and again
  bool random = false;              // in which order files are written or changed
};

// Of each thread, for the caller to show where their list lies.
using EpollFiles = std::vector<std::vector<Fd>>;
// Raises the limit of open files where needed. Errors: System.
Result<EpollFiles> open_epoll_files(const EpollPlan& plan);

// How often each thread has seen a file and read from it.
Result<std::vector<u64>> run_epoll_wait(const EpollPlan& plan, const EpollFiles& files);

enum EpollChange { kAdded, kModified, kRemoved };
// How often each thread did each.
Result<std::vector<std::array<u64, 3>>> run_epoll_changes(const EpollPlan& plan, const EpollFiles& files);

}  // namespace peregrine
