// WorkerPool: a fixed set of threads that run one indexed task at a time and are all idle when run() returns.
//
// run(count, task) calls task(index, worker) for every index in [0, count); workers take indices in order. The caller
// is worker 0, so with one worker everything runs on the calling thread. If tasks throw, run() rethrows the first
// exception once all workers are idle; indices not taken by then are skipped.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/types.h"

namespace peregrine {

class WorkerPool {
 public:
  // `workers`: 0 means one per available processor. The limit is 1024; there are fewer if the system refuses more
  // threads.
  explicit WorkerPool(unsigned workers = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  using Task = std::function<void(std::size_t index, unsigned worker)>;
  void run(std::size_t count, const Task& task);
  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

 private:
  void serve(unsigned worker);
  void work(unsigned worker, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable start_, finished_;
  const Task* task_ = nullptr;
  std::size_t next_ = 0, count_ = 0, running_ = 0;
  u64 generation_ = 0;
  std::exception_ptr failure_;  // the first exception in this run
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace peregrine
