// ReadingWatch: a sink that wraps another one. It reports progress when reading takes longer than a
// second, and handles Ctrl-C: reading ends, and what was read so far is shown. If a file is to be written, Ctrl-C
// is an error: part of a recording must not replace an earlier page of the complete one.
//
//   ReadingWatch watch(collector, recording.header(), listener);
//   replay.run(watch);
//   PEREGRINE_TRY(watch.end(file));  // from here on Ctrl-C ends the program again
//
// A recording from a pipe ends when its writer does, also on Ctrl-C, so it is not interrupted here. Thread safe as
// ReplaySink requires.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/target/watch.h"
#include "data/header.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "session/session_listener.h"

namespace peregrine {

class ReadingWatch : public ReplaySink {
 public:
  // All arguments must outlive the watch.
  ReadingWatch(ReplaySink& inner, const data::Header& header, SessionListener& listener);

  // Removes the progress line. An interruption is a warning, or an error (System, EINTR) with `hint` if `file` is to be
  // written.
  Result<> end(std::string_view file = {},
               std::string_view hint = "without an output file, Ctrl-C shows what was read so far");

  void begin(unsigned workers) override {
    places_.resize(workers);
    inner_.begin(workers);
  }
  void before_batch() override { inner_.before_batch(); }
  void begin_batch() override { inner_.begin_batch(); }
  bool needs_samples_of(u32 event) const override { return inner_.needs_samples_of(event); }
  void begin_slice(u64 slice, unsigned worker) override { inner_.begin_slice(slice, worker); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    places_[worker].offset = sample.file_offset;
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
  // Of a worker's last sample. Each has its cache line; otherwise workers would wait for each other at every sample.
  struct alignas(64) Place {
    u64 offset = 0;
  };
  std::string progress() const;
  void take_signals();

  ReplaySink& inner_;
  const data::Header& header_;
  SessionListener& listener_;
  std::optional<Watch> signals_;
  std::vector<Place> places_;  // position in the file, by worker
  Clock::time_point next_;     // when to report progress next
  bool shown_ = false, interrupted_ = false;
};

}  // namespace peregrine
