// StatReader: reads the perf.data of `stat record`: its events, what was counted, and the readings per round.
//
// open() reads up to the settings; next() returns one round at a time, with the running totals so far.
//
// The file is untrusted: readings of unknown ids, threads or CPUs are skipped and counted. One thread.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "abi/record.h"
#include "abi/session_record.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/counter.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "data/stream/account.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"

namespace peregrine {

struct StatRound {
  std::vector<CounterReading> readings;  // sorted by event, CPU, thread; `thread` is the tid
  u64 since_start_ns = 0;
  bool last = false;
};

struct RecordedThread {
  Pid thread = -1;
  std::string comm;
};

class StatReader {
 public:
  // `reader` must be freshly opened and outlive this. Errors: those of data::Reader; Malformed: a recording without
  // counts.
  static Result<StatReader> open(data::Reader& reader);

  const EventList& events() const { return events_; }
  // By event: whether the kernel supported it.
  std::vector<bool> supported() const;
  u64 aggregation() const { return aggregation_; }  // linux-perf's mode number, which depends on its version
  u64 interval_ms() const { return interval_ms_; }
  bool scale() const { return scale_; }
  const std::vector<RecordedThread>& threads() const { return threads_; }
  const CpuList& cpus() const { return cpus_; }
  const data::Header& header() const { return reader_.header(); }
  const data::ReadAccount& account() const { return reader_.account(); }
  u64 unknown_readings() const { return unknown_; }

  // Nothing at the end of the recording.
  Result<std::optional<StatRound>> next();

 private:
  explicit StatReader(data::Reader& reader) : reader_(reader) {}
  Result<> read_settings();
  void take(const abi::RecordView& record);
  void add(const abi::StatRecord& reading);
  void make_events();

  data::Reader& reader_;
  EventList events_;
  u64 aggregation_ = 1, interval_ms_ = 0;
  bool scale_ = true;
  std::vector<RecordedThread> threads_;
  CpuList cpus_;
  bool has_settings_ = false;
  std::optional<abi::StatRoundRecord> round_;                     // just read
  std::map<std::tuple<u32, int, u32>, CounterReading> readings_;  // by event, CPU, thread index
  u64 unknown_ = 0;
};

}  // namespace peregrine
