#include "base/concurrency/worker_pool.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/concurrency/available_cpus.h"

namespace peregrine {

namespace {

// More threads than processors gain nothing, and a mistyped number would cost memory.
constexpr unsigned kMostWorkers = 1024;

}  // namespace

WorkerPool::WorkerPool(unsigned workers) {
  if (workers == 0) workers = available_cpus();
  workers = std::min(workers, kMostWorkers);
  threads_.reserve(workers - 1);
  try {
    for (unsigned worker = 1; worker < workers; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::exception&) {
    // A limit on threads or memory was reached. The existing threads do all the work.
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (auto& thread : threads_) thread.join();
}

// Takes indices until none is left. The caller holds the lock, on entry and on return.
void WorkerPool::work(unsigned worker, std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::size_t index = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task_)(index, worker);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --running_;
    if (!failure) continue;
    if (!failure_) failure_ = std::move(failure);
    next_ = count_;
  }
  if (running_ == 0) finished_.notify_all();
}

void WorkerPool::serve(unsigned worker) {
  std::unique_lock lock(mutex_);
  u64 seen = 0;
  for (;;) {
    start_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    work(worker, lock);
  }
}

void WorkerPool::run(std::size_t count, const Task& task) {
  if (threads_.empty() || count <= 1) {
    for (std::size_t index = 0; index < count; ++index) task(index, 0);
    return;
  }
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  count_ = count;
  ++generation_;
  start_.notify_all();
  work(0, lock);
  finished_.wait(lock, [&] { return next_ >= count_ && running_ == 0; });
  task_ = nullptr;
  count_ = 0;
  if (std::exception_ptr failure = std::exchange(failure_, nullptr)) {
    lock.unlock();
    std::rethrow_exception(std::move(failure));
  }
}

}  // namespace peregrine
