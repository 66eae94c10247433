// BatchAhead: a thread that prepares the next batch of an Order while the caller processes the current one.
//
//   caller   next() ─ takes 1, works ─ next() ─ takes 2 for 1, works ─ …
//   thread   makes 1 ─▶ makes 2, waits ──────▶ gives up the records of 1, makes 3 ─ …
//
// Sorting records takes a seventh of the time of `script`, and Python or Perl scripts run on one thread only. The
// thread changes shared state only while the caller waits for it: alone().
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "data/order/order.h"

namespace peregrine::data {

class BatchAhead {
 public:
  // Releases what the batch holds and fills it, as Order::next() says.
  using Make = std::function<Result<bool>(Batch&)>;

  // `make` is called on the thread, from the first next() on until it gives no more.
  explicit BatchAhead(Make make) : make_(std::move(make)) {}
  ~BatchAhead() { stop(); }
  BatchAhead(const BatchAhead&) = delete;
  BatchAhead& operator=(const BatchAhead&) = delete;

  // Exchanges the batch that the caller is done with for the next one; waits for it.
  Result<bool> next(Batch& batch);
  // Within make(): returns when the caller waits, or has stopped.
  void alone();
  // Ends the thread; next() is not to be called afterwards.
  void stop();
  // What the thread holds, when it has ended.
  Batch& batch() { return batch_; }

 private:
  void work();

  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Batch batch_;                  // the next one; the last one of the caller, while that works
  Result<bool> outcome_ = true;  // of the last make()
  bool made_ = false, waiting_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace peregrine::data
