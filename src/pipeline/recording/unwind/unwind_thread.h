// UnwindThread: record --unwind=now: a thread that converts stacks to callchains before they are written.
//
//   recorder   ring ─ copy ─▶ lap ─ end_lap() ─┐         the ring space is returned at once
//   thread                                     └▶ LapUnwinder ─▶ Writer, FINISHED_ROUND
//
// From the first end_lap() until settle(), the writer belongs to the thread. If it falls behind by more than a few
// seconds' worth of stacks, laps are written unchanged, with their stacks for later. Nothing is ever dropped.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"
#include "machine/dso/kept_files.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/unwind/lap_unwinder.h"
#include "pipeline/recording/unwind/unwind_account.h"

namespace peregrine {

class UnwindThread {
 public:
  // `output` must outlive this and not move.
  static std::unique_ptr<UnwindThread> start(RecordingOutput& output, KeptFiles kept);
  UnwindThread(const UnwindThread&) = delete;
  UnwindThread& operator=(const UnwindThread&) = delete;
  ~UnwindThread();

  // Records of running processes, written by the recorder itself. Call while settled.
  void learn(Bytes records) { unwinder_.rewrite(records, false); }
  void take(const RingSpan& span);
  // Passes the records taken so far to the thread. With `checkpoint`, makes the file readable up to there.
  Result<> end_lap(bool checkpoint = false);
  // Waits until all laps are written; the writer then belongs to the caller again.
  Result<> settle();
  // As of the last lap.
  u64 bytes() const { return bytes_; }
  // Call while settled.
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
