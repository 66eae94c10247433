// ReadingWatch: a sink around a command's sink that shows the progress of reading a large recording, on a terminal
// after the first second, and handles Ctrl-C: reading ends, and the command shows what was read until then. A command
// that writes a file fails instead: part of a recording must not replace an earlier page of all of it.
//
//   ReadingWatch watch(collector, recording.header(), call.messages);
//   replay.run(watch);
//   PEREGRINE_TRY(watch.end(file));  // from here on Ctrl-C ends the program again
//
// If stderr is not a terminal, no progress is shown. A command that reads a pipe ends when the writer does, also on
// Ctrl-C. Thread safe as ReplaySink requires.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>

#include "capture/target/watch.h"
#include "cli/frame/message.h"
#include "data/header.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

class ReadingWatch : public ReplaySink {
 public:
  // All outlive the watch.
  ReadingWatch(ReplaySink& inner, const data::Header& header, Messages& messages);

  // Takes the line away. An interruption is a warning; where `file` is to be written, an error (System, EINTR) with
  // `hint`.
  Result<> end(std::string_view file = {},
               std::string_view hint = "without an output file, Ctrl-C shows what was read until then");

  void begin(unsigned workers) override { inner_.begin(workers); }
  void begin_batch() override { inner_.begin_batch(); }
  void begin_slice(u64 slice, unsigned worker) override { inner_.begin_slice(slice, worker); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    place_.store(sample.file_offset, std::memory_order_relaxed);
    inner_.sample(sample, resolver, worker);
  }
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    inner_.side_band(record, resolver, worker);
  }
  void record(const ReplayRecord& record, Resolver& resolver, unsigned worker) override {
    inner_.record(record, resolver, worker);
  }
  void end_slice(u64 slice, unsigned worker) override { inner_.end_slice(slice, worker); }
  bool end_batch() override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string progress() const;
  void take_signals();

  ReplaySink& inner_;
  const data::Header& header_;
  Messages& messages_;
  std::optional<Watch> signals_;
  std::atomic<u64> place_ = 0;  // in the file
  Clock::time_point next_;      // when to say more
  bool shown_ = false, interrupted_ = false;
};

}  // namespace peregrine::cmd
