// The --off-cpu part of Recording::State: turns sleeps into samples. Long sleeps are written in each lap, the sums of
// the others at the end of the file.
#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/scheduling/off_cpu_sampler.h"
#include "event/config/off_cpu_event.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/recording_state.h"
#include "sys/process/limit.h"

namespace peregrine {

Result<> Recording::State::open_off_cpu(const PerfLimits& limits) {
  const auto event = std::ranges::find_if(events, is_off_cpu_event);
  if (event == events.end()) return fail(ErrorKind::Unsupported, "cannot open the --off-cpu event");
  const auto& ids = recorder->ids()[static_cast<std::size_t>(event - events.begin())];
  const OffCpuRequest what{.threshold = request.run.off_cpu_threshold};
  auto opened = OffCpuSampler::open(event->attr, ids.empty() ? 0 : ids.front(), what, target, limits);
  if (!opened) return std::unexpected(std::move(opened.error()));
  off_cpu.emplace(std::move(*opened));
  return {};
}

Result<bool> Recording::State::take_long_sleeps() {
  ByteWriter records;
  auto count = off_cpu->take_long(records);
  if (!count) return std::unexpected(std::move(count.error()));
  summary.samples += *count;
  if (*count > 0) PEREGRINE_TRY(output->writer().append(records.bytes()));
  return *count > 0;
}

Result<> Recording::State::take_all_sleeps() {
  ByteWriter records;
  for (const auto take : {&OffCpuSampler::take_long, &OffCpuSampler::take_sums}) {
    auto count = ((*off_cpu).*take)(records);
    if (!count) return std::unexpected(std::move(count.error()));
    summary.samples += *count;
  }
  summary.off_cpu_lost = off_cpu->lost();
  return records.size() > 0 ? output->writer().append(records.bytes()) : Result<>();
}

}  // namespace peregrine
