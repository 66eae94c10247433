// DrainThreads: the threads of `record --threads`. Each drains its rings into its files, so they share only the
// descriptors for stopping and notifying. Nobody else may poll the rings: that would take the wake-up from the thread.
//
//   main: start() ─▶ … ─▶ events disabled ─▶ stop(): last pass over all rings, joins threads, first error
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/recorder.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/thread_plan.h"

namespace peregrine {

class DrainThreads {
 public:
  // `recorder` and `output` must outlive this and not move.
  static Result<std::unique_ptr<DrainThreads>> start(Recorder& recorder, RecordingOutput& output,
                                                     std::vector<DrainPart> parts);
  DrainThreads(const DrainThreads&) = delete;
  DrainThreads& operator=(const DrainThreads&) = delete;
  ~DrainThreads();

  // Readable when failed() or targets_gone() became true; take_notice() resets it.
  int notice_fd() const { return notice_.get(); }
  void take_notice();
  bool failed() const { return failed_; }                         // stop() returns the error
  bool targets_gone() const { return gone_ == workers_.size(); }  // nothing can write to the rings any more
  u64 bytes() const;                                              // total written so far
  u64 wakeups() const;                                            // by rings that reached their watermark
  Result<> stop();

 private:
  struct Worker {
    DrainPart part;
    std::thread thread;
    std::atomic<u64> bytes = 0, wakeups = 0;
    std::optional<Error> error;  // read after joining
  };
  DrainThreads(Recorder& recorder, RecordingOutput& output) : recorder_(recorder), output_(output) {}
  void join();
  void work(Worker& worker);
  Result<> drain_until_stopped(Worker& worker);
  Result<> lap(Worker& worker, bool flush);

  Recorder& recorder_;
  RecordingOutput& output_;
  Fd stop_, notice_;
  std::atomic<bool> stopping_ = false, failed_ = false;
  std::atomic<std::size_t> gone_ = 0;  // workers with rings that have no writers any more
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
