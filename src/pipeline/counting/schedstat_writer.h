// SchedstatWriter: writes the perf.data of `sched stats record`: the lines of /proc/schedstat at start and end, and the
// names of scheduling domains in the header. There are no events.
//
// Lifecycle: create → add_reading for each reading → finish. The first reading gives the file its name
// (recording_place.h). One thread.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/session_record.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/writer/writer.h"
#include "pipeline/recording/output/host_features.h"
#include "pipeline/recording/place/recording_place.h"
#include "sys/kernel/schedstat.h"
#include "sys/root.h"

namespace peregrine {

// As records; `cpus`: only these, empty: all.
std::vector<abi::SchedstatRecord> schedstat_records(const SchedCounters& reading, std::span<const u32> cpus);
// As in the header.
data::SchedulingDomains scheduling_domains(const SchedCounters& reading);

class SchedstatWriter {
 public:
  // An existing recording becomes PATH.old at the first reading.
  static Result<SchedstatWriter> create(const Root& root, const std::string& path, HostFeatureRequest host);

  Result<> add_reading(const SchedCounters& reading, std::span<const u32> cpus);
  Result<> finish();

 private:
  SchedstatWriter(const Root& root, HostFeatureRequest host, RecordingPlace place, data::Writer writer)
      : root_(root), host_(std::move(host)), place_(std::move(place)), writer_(std::move(writer)) {}

  Root root_;
  HostFeatureRequest host_;
  RecordingPlace place_;
  data::Writer writer_;
  data::Features features_;
};

}  // namespace peregrine
