// UnwindThread: record --unwind=now: a thread beside the rings that turns stacks into callchains before they are
// written.
//
//   recorder   ring ─ copy ─▶ lap ─ end_lap() ─┐         the ring is given back at once
//   thread                                     └▶ LapUnwinder ─▶ Writer, FINISHED_ROUND
//
// From the first end_lap() until settle() the writer belongs to the thread. When it falls behind by more than some
// seconds' worth of stacks, laps are written as they are: their stacks are kept for later. Nothing else is ever left
// out.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "capture/perf_event/ring_buffer.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/unwind/lap_unwinder.h"
#include "pipeline/recording/unwind/unwind_account.h"

namespace peregrine {

class UnwindThread {
 public:
  // The output must outlive it and stay where it is.
  static std::unique_ptr<UnwindThread> start(RecordingOutput& output, KeptFiles kept);
  UnwindThread(const UnwindThread&) = delete;
  UnwindThread& operator=(const UnwindThread&) = delete;
  ~UnwindThread();

  // Records that the recorder wrote itself: what already runs. While settled.
  void learn(Bytes records) { unwinder_.rewrite(records, false); }
  void take(const RingSpan& span);
  // What was taken goes to the thread. With `checkpoint` the file is made readable up to its end.
  Result<> end_lap(bool checkpoint = false);
  // Waits until all laps are written: then the writer is the caller's.
  Result<> settle();
  // Written by the time of the last lap.
  u64 bytes() const { return bytes_; }
  // While settled.
  UnwindAccount account() const;

 private:
  struct Lap {
    std::vector<std::byte> bytes;
    bool raw = false, checkpoint = false;
  };
  UnwindThread(RecordingOutput& output, KeptFiles kept)
      : output_(output), unwinder_(output.evlist(), std::move(kept)) {}
  void work();
  Result<> write(const Lap& lap);

  RecordingOutput& output_;
  LapUnwinder unwinder_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Lap> laps_;     // the first one is being written
  std::size_t waiting_ = 0;  // bytes in laps_
  std::vector<std::vector<std::byte>> spare_;
  std::optional<Error> error_;
  bool stopping_ = false;
  std::vector<std::byte> taken_;
  std::atomic<u64> bytes_ = 0, nanoseconds_ = 0;
};

}  // namespace peregrine
