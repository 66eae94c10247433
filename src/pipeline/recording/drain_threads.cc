#include "pipeline/recording/drain_threads.h"

#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/recorder.h"
#include "capture/target/watch.h"

namespace peregrine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{500};  // same as Recording's

// A write that fails because the counter is full is harmless: the eventfd is readable anyway.
void notify(const Fd& fd) {
  const u64 one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd.get(), &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<DrainThreads>> DrainThreads::start(Recorder& recorder, RecordingOutput& output,
                                                          std::vector<DrainPart> parts) {
  std::unique_ptr<DrainThreads> threads(new DrainThreads(recorder, output));
  threads->stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  threads->notice_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!threads->stop_ || !threads->notice_) return fail_errno("eventfd");
  for (DrainPart& part : parts) threads->workers_.emplace_back(std::make_unique<Worker>())->part = std::move(part);
  for (auto& worker : threads->workers_) {
    worker->thread = std::thread([raw = threads.get(), &worker = *worker] { raw->work(worker); });
  }
  return threads;
}

DrainThreads::~DrainThreads() { join(); }

void DrainThreads::work(Worker& worker) {
  auto done = guarded([&] { return drain_until_stopped(worker); });
  if (done) return;
  worker.error = std::move(done.error());
  failed_ = true;
  notify(notice_);
}

Result<> DrainThreads::drain_until_stopped(Worker& worker) {
  PEREGRINE_TRY(run_on(worker.part.affinity));
  auto watch = Watch::open({});
  if (!watch) return std::unexpected(std::move(watch.error()));
  for (const std::size_t index : worker.part.rings) watch->add_ring(recorder_.rings()[index].writers);
  watch->set_notice(stop_.get());
  auto due = Clock::now() + kTick;
  bool gone = false;
  while (!stopping_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
    const auto woken = watch->wait(std::max(left, std::chrono::milliseconds(0)));
    if (!woken) return std::unexpected(woken.error());
    if (woken->ring) ++worker.wakeups;
    if (woken->targets_gone && !std::exchange(gone, true) && ++gone_ == workers_.size()) notify(notice_);
    const bool tick = Clock::now() >= due;
    if (tick) due = Clock::now() + kTick;
    if (woken->ring || tick) PEREGRINE_TRY(lap(worker, tick));
  }
  return lap(worker, true);
}

Result<> DrainThreads::lap(Worker& worker, bool flush) {
  u64 bytes = 0;
  for (const std::size_t index : worker.part.rings) {
    auto drained = output_.drain(index, recorder_.rings()[index]);
    if (!drained) return std::unexpected(std::move(drained.error()));
    if (flush) PEREGRINE_TRY(output_.flush(index));
    bytes += output_.ring_file_size(index);
  }
  worker.bytes = bytes;
  return {};
}

void DrainThreads::take_notice() {
  u64 count = 0;
  [[maybe_unused]] const ssize_t got = ::read(notice_.get(), &count, sizeof count);
}

u64 DrainThreads::bytes() const {
  u64 sum = 0;
  for (const auto& worker : workers_) sum += worker->bytes;
  return sum;
}

u64 DrainThreads::wakeups() const {
  u64 sum = 0;
  for (const auto& worker : workers_) sum += worker->wakeups;
  return sum;
}

void DrainThreads::join() {
  stopping_ = true;
  notify(stop_);
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

Result<> DrainThreads::stop() {
  join();
  for (auto& worker : workers_) {
    if (worker->error) return std::unexpected(*worker->error);
  }
  return {};
}

}  // namespace peregrine
