#include "session/sched/schedstat_session.h"

#include <fmt/format.h>

#include <expected>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/session_record.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "pipeline/counting/schedstat_writer.h"
#include "session/measured_run.h"
#include "sys/kernel/schedstat.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Passes the readings before and after the run to `use`. The kernel counts only in between: its switch is restored at
// the end.
Result<> take_readings(const SchedstatRun& run, const std::function<Result<>(const SchedCounters&)>& use,
                       SessionListener& listener) {
  const Root root;
  std::optional<SchedStatsSwitch> counting;
  const auto read = [&]() -> Result<> {
    const auto reading = read_sched_counters(root);
    if (!reading) return std::unexpected(reading.error());
    return use(*reading);
  };
  const auto begin = [&]() -> Result<> {
    auto engaged = SchedStatsSwitch::engage(root);
    if (!engaged) return std::unexpected(std::move(engaged.error()));
    counting.emplace(std::move(*engaged));
    return read();
  };
  return run_measured(run.command, listener, begin, read, run.limit);
}

Result<SchedstatChange> checked_change(SchedstatChange change, std::string_view source) {
  if (!change.cpus.empty()) return change;
  return std::unexpected(
      Error{ErrorKind::Unsupported, fmt::format("{} has no scheduler statistics for a time span", source)}.with_hint(
          "record with `perf sched stats record`"));
}

}  // namespace

Result<> record_schedstats(const SchedstatRun& run, const std::string& output, HostFeatureRequest host,
                           SessionListener& listener) {
  PEREGRINE_TRY(read_sched_counters(Root()));  // before creating a file
  auto writer = SchedstatWriter::create(Root(), output, std::move(host));
  if (!writer) return std::unexpected(std::move(writer.error()));
  std::vector<SchedCounters> readings;  // written at the end, so that a command that cannot be started leaves no file
  const auto keep = [&](const SchedCounters& reading) -> Result<> {
    readings.push_back(reading);
    return {};
  };
  PEREGRINE_TRY(take_readings(run, keep, listener));
  for (const SchedCounters& reading : readings) PEREGRINE_TRY(writer->add_reading(reading, run.cpus));
  return writer->finish();
}

Result<SchedstatChange> watch_schedstats(const SchedstatRun& run, SessionListener& listener) {
  SchedstatSeries series;
  data::SchedulingDomains domains;
  const auto add = [&](const SchedCounters& reading) -> Result<> {
    domains = scheduling_domains(reading);
    for (const abi::SchedstatRecord& record : schedstat_records(reading, run.cpus)) series.add(record);
    return {};
  };
  PEREGRINE_TRY(take_readings(run, add, listener));
  return checked_change(series.change(&domains), "/proc/schedstat");
}

Result<SchedstatChange> recorded_schedstats(data::Reader& recording, std::string_view name, SessionListener& listener) {
  SchedstatSeries series;
  u64 refused = 0;
  abi::RecordView record;
  for (;;) {
    auto more = recording.next(record);
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) break;
    const auto decoded = abi::decode_session_record(record);
    if (!decoded || !*decoded) continue;  // the reader counts malformed records
    const auto* line = std::get_if<abi::SchedstatRecord>(&**decoded);
    if (line != nullptr && !series.add(*line)) ++refused;
  }
  if (refused != 0)
    listener.warning(fmt::format("{} too short, or of an unsupported version",
                                 counted(refused, "record was skipped: it is", "records were skipped: they are")));
  const auto& domains = recording.header().features.scheduling_domains;
  return checked_change(series.change(domains ? &*domains : nullptr), name);
}

}  // namespace peregrine
