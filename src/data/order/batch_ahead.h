// BatchAhead: a thread that prepares the next batch of an Order while the caller processes the current one.
//
//   caller   next() ─ takes 1, works ─ next() ─ takes 2 for 1, works ─ …
//   thread   makes 1 ─▶ makes 2, waits ──────▶ releases the records of 1, makes 3 ─ …
//
// Sorting records takes a seventh of the time of `script`, and Python or Perl scripts run on only one thread. The
// thread changes shared state only while the caller waits for it: alone().
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/result.h"
#include "data/order/order.h"

namespace peregrine::data {

class BatchAhead {
 public:
  // Releases the batch's records and fills it again, like Order::next().
  using Make = std::function<Result<bool>(Batch&)>;

  // The thread calls `make`, from the first next() until it returns false.
  explicit BatchAhead(Make make) : make_(std::move(make)) {}
  ~BatchAhead() { stop(); }
  BatchAhead(const BatchAhead&) = delete;
  BatchAhead& operator=(const BatchAhead&) = delete;

  // Exchanges the caller's finished batch for the next one, waiting if necessary.
  Result<bool> next(Batch& batch);
  // Called within make(): returns when the caller is waiting or has stopped.
  void alone();
  // Ends the thread. next() must not be called afterwards.
  void stop();
  // The thread's batch, after the thread has ended.
  Batch& batch() { return batch_; }

 private:
  void work();

  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Batch batch_;                  // the next batch, or the caller's last one while the caller works
  Result<bool> outcome_ = true;  // result of the last make()
  bool made_ = false, waiting_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace peregrine::data
