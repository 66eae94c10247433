// StatWriter: writes the perf.data of `stat record`: events with ids, what was counted and how, then rounds of
// readings.
//
// Lifecycle: create (counters are open, nothing runs yet) → add_round for each reading → finish. The first round, or
// finish(), gives the file its name (recording_place.h), so a failed start leaves nothing behind. Readings are running
// totals. linux-perf 6.1 can read the result. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/counter.h"
#include "capture/target/target.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "data/writer/writer.h"
#include "event/spec.h"
#include "pipeline/recording/output/host_features.h"
#include "pipeline/recording/place/recording_place.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

struct StatFileOptions {
  std::string path = "perf.data";  // "-": a pipe on standard output
  u64 aggregation = 1;             // linux-perf's mode number
  u64 interval_ms = 0;
  bool scale = true;
  std::optional<std::vector<std::byte>> tracing_data;  // linux-perf needs it to read tracepoints
  HostFeatureRequest host;
};

class StatWriter {
 public:
  // An existing recording becomes PATH.old once the new one has begun. `comms`: by thread of the target.
  static Result<StatWriter> create(const Root& root, StatFileOptions options, const EventList& events,
                                   const CounterSet& counters, const Target& target,
                                   std::span<const std::string> comms);

  // `last`: for the whole run; else for an interval.
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
  std::vector<Pid> threads_;              // in thread map order
};

}  // namespace peregrine
