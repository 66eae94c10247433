// DrainThreads: the threads of `record --threads`. Each empties its own rings into their own files, so they share
// nothing but the descriptors that stop them and that tell of them. Nobody else may poll the rings: who polls one takes
// the wake-up away from all others.
//
//   main: start() ─▶ … ─▶ events off ─▶ stop(): last pass over all rings, threads joined, first error
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "pipeline/recording/output/output.h"
#include "pipeline/recording/thread_plan.h"

namespace peregrine {

class DrainThreads {
 public:
  // Recorder and output must outlive it and stay where they are.
  static Result<std::unique_ptr<DrainThreads>> start(Recorder& recorder, RecordingOutput& output,
                                                     std::vector<DrainPart> parts);
  DrainThreads(const DrainThreads&) = delete;
  DrainThreads& operator=(const DrainThreads&) = delete;
  ~DrainThreads();

  // Readable when failed() or targets_gone() has become true; take_notice() makes it wait for the next time.
  int notice_fd() const { return notice_.get(); }
  void take_notice();
  bool failed() const { return failed_; }                         // stop() tells why
  bool targets_gone() const { return gone_ == workers_.size(); }  // nothing can write into any ring any more
  u64 bytes() const;                                              // written by all of them so far
  u64 wakeups() const;                                            // by rings that had reached their watermark
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
  std::atomic<std::size_t> gone_ = 0;  // workers whose rings have no writer any more
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
