// StatWriter: the perf.data of `stat record`: events with their ids, who was counted and how, then rounds of readings.
//
// Life: create (counters are open, nothing runs yet) → add_round as often as counters are read → finish. The first
// round or finish() gives the file its name (recording_place.h): when nothing could be run, nothing is left. Readings
// are running totals. linux-perf 6.1 reads what it writes. One thread.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/counter.h"
#include "data/writer/writer.h"
#include "event/spec.h"
#include "pipeline/recording/output/host_features.h"
#include "pipeline/recording/place/recording_place.h"

namespace peregrine {

struct StatFileOptions {
  std::string path = "perf.data";  // "-": a pipe on standard output
  u64 aggregation = 1;             // linux-perf's number of the mode
  u64 interval_ms = 0;
  bool scale = true;
  std::optional<std::vector<std::byte>> tracing_data;  // without it linux-perf reads no tracepoints
  HostFeatureRequest host;
};

class StatWriter {
 public:
  // A recording that is there becomes PATH.old when the new one has begun. `comms`: by thread of the target.
  static Result<StatWriter> create(const Root& root, StatFileOptions options, const EventList& events,
                                   const CounterSet& counters, const Target& target,
                                   std::span<const std::string> comms);

  // `last`: of the whole run; else of an interval.
  Result<> add_round(std::span<const CounterReading> readings, u64 since_start_ns, bool last);
  Result<> finish();

 private:
  struct CellId {
    int cpu = -1;
    Pid thread = -1;
    u64 id = 0;
  };
  StatWriter(const Root& root, StatFileOptions options, std::optional<RecordingPlace> place, data::Writer writer)
      : root_(root), options_(std::move(options)), place_(std::move(place)), writer_(std::move(writer)) {}
  void collect_ids(const EventList& events, const CounterSet& counters, int first_cpu);
  void open_records(const Target& target, std::span<const std::string> comms, ByteWriter& out);
  const CellId* cell_of(const CounterReading& reading) const;

  Root root_;
  StatFileOptions options_;
  std::optional<RecordingPlace> place_;  // unset: a pipe
  data::Writer writer_;
  data::Evlist evlist_;
  data::Features features_;
  std::vector<std::vector<CellId>> ids_;  // by event
  std::vector<Pid> threads_;              // as the thread map numbers them
};

}  // namespace peregrine
