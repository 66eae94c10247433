#include "data/order/batch_ahead.h"

#include <utility>

#include "base/guarded.h"
#include "base/result.h"

namespace peregrine::data {

void BatchAhead::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<bool> BatchAhead::next(Batch& batch) {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  std::unique_lock lock(mutex_);
  const bool ended = !outcome_ || !*outcome_;
  if (!made_ && ended) return outcome_;
  waiting_ = true;
  if (!made_) changed_.notify_all();
  changed_.wait(lock, [this] { return made_; });
  waiting_ = made_ = false;
  std::swap(batch, batch_);
  const Result<bool> outcome = outcome_;
  lock.unlock();
  changed_.notify_all();
  return outcome;
}

void BatchAhead::alone() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || waiting_; });
}

void BatchAhead::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !made_; });
    if (stopping_) return;
    lock.unlock();
    Result<bool> outcome = guarded([this] { return make_(batch_); });
    lock.lock();
    outcome_ = std::move(outcome);
    made_ = true;
    changed_.notify_all();
    if (!outcome_ || !*outcome_) return;
  }
}

}  // namespace peregrine::data
