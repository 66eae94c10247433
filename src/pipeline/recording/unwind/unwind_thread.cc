#include "pipeline/recording/unwind/unwind_thread.h"

#include <ctime>
#include <expected>
#include <utility>

#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "data/writer/writer.h"
#include "machine/dso/kept_files.h"

namespace peregrine {
namespace {

constexpr std::size_t kBehind = std::size_t{32} << 20;  // waiting bytes: above this, stacks are kept unchanged,
constexpr std::size_t kFull = std::size_t{256} << 20;   // and above this, the rings must wait
constexpr std::size_t kSpare = 4;

}  // namespace

std::unique_ptr<UnwindThread> UnwindThread::start(RecordingOutput& output, KeptFiles kept) {
  std::unique_ptr<UnwindThread> made(new UnwindThread(output, std::move(kept)));
  made->spare_.reserve(kSpare);  // the thread appends to it where exceptions are not allowed
  made->thread_ = std::thread([thread = made.get()] { thread->work(); });
  return made;
}

UnwindThread::~UnwindThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void UnwindThread::take(const RingSpan& span) {
  taken_.insert(taken_.end(), span.first.begin(), span.first.end());
  taken_.insert(taken_.end(), span.second.begin(), span.second.end());
}

Result<> UnwindThread::end_lap(bool checkpoint) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_ < kFull || error_; });
  if (error_) return std::unexpected(*error_);
  waiting_ += taken_.size();
  laps_.push_back(Lap{std::move(taken_), waiting_ > kBehind, checkpoint});
  taken_.clear();
  if (!spare_.empty()) {
    taken_ = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
  return {};
}

Result<> UnwindThread::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return laps_.empty() || error_; });
  if (error_) return std::unexpected(*error_);
  return {};
}

UnwindAccount UnwindThread::account() const {
  UnwindAccount account;
  for (const u64 count : unwinder_.counts().stacks) account.unwound += count;
  account.kept = unwinder_.kept();
  account.nanoseconds = nanoseconds_;
  return account;
}

void UnwindThread::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !laps_.empty() || stopping_; });
    if (laps_.empty()) return;
    Lap& lap = laps_.front();  // stays valid while others are appended
    lock.unlock();
    Result<> done = guarded([&] { return write(lap); });
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    nanoseconds_ = static_cast<u64>(used.tv_sec) * 1'000'000'000 + static_cast<u64>(used.tv_nsec);
    lock.lock();
    waiting_ -= lap.bytes.size();
    if (spare_.size() < kSpare) {
      lap.bytes.clear();
      spare_.push_back(std::move(lap.bytes));
    }
    laps_.pop_front();
    if (!done) {
      error_ = std::move(done.error());
      laps_.clear();
    }
    lock.unlock();
    changed_.notify_all();
    if (error_) return;
  }
}

Result<> UnwindThread::write(const Lap& lap) {
  data::Writer& writer = output_.writer();
  if (!lap.bytes.empty()) {
    PEREGRINE_TRY(writer.append(unwinder_.rewrite(lap.bytes, !lap.raw)));
    PEREGRINE_TRY(writer.finish_round());
  }
  if (lap.checkpoint) PEREGRINE_TRY(writer.checkpoint());
  bytes_ = writer.data_offset() + writer.data_size();
  return {};
}

}  // namespace peregrine
