// SliceQueue: the results of parallel workers for numbered slices, consumed in the order of the slices.
//
//   worker 1   begin(0) ─ fills ─ end(0): consumes 0, 1            begin(3) ─ …
//   worker 2   begin(1) ─ fills ─ end(1): left behind  begin(2) ─ fills ─ end(2): consumes 2
//
// The worker that ends the slice due next consumes it and all finished ones that follow, outside the lock, so that the
// others can continue. Values are reused, and workers too far ahead wait: memory is a few slices, whatever the number
// of workers. Each worker must begin its slices in ascending order, and together they must begin every slice from 0 on.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/types.h"

namespace peregrine {

// T has a default constructor, and clear(), which readies it for another slice.
template <class T>
class SliceQueue {
 public:
  // An empty value for this slice. Waits while too many later slices are finished.
  std::unique_ptr<T> begin(u64 slice) {
    std::unique_lock lock(mutex_);
    // The worker that has the slice due next never waits here, so this cannot deadlock.
    consumed_.wait(lock, [&] { return slice == due_ || finished_.size() < kMostFinished; });
    if (idle_.empty()) return std::make_unique<T>();
    std::unique_ptr<T> value = std::move(idle_.back());
    idle_.pop_back();
    value->clear();
    return value;
  }

  // Hands over a slice's value. Calls consume(T&) for each value that is due, never two at once.
  template <class Consume>
  void end(u64 slice, std::unique_ptr<T> value, const Consume& consume) {
    std::unique_lock lock(mutex_);
    finished_.emplace(slice, std::move(value));
    if (consuming_) return;  // that worker checks again
    consuming_ = true;
    for (auto due = finished_.begin(); due != finished_.end() && due->first == due_; due = finished_.begin()) {
      std::unique_ptr<T> next = std::move(due->second);
      finished_.erase(due);
      ++due_;
      lock.unlock();
      consume(*next);
      lock.lock();
      idle_.push_back(std::move(next));
      consumed_.notify_all();
    }
    consuming_ = false;
  }

 private:
  static constexpr std::size_t kMostFinished = 6;

  std::mutex mutex_;
  std::condition_variable consumed_;
  std::vector<std::unique_ptr<T>> idle_;
  std::map<u64, std::unique_ptr<T>> finished_;
  u64 due_ = 0;  // the slice to be consumed next
  bool consuming_ = false;
};

}  // namespace peregrine
