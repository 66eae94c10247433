#include "cmd/record/record_output_options.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "base/number/parse_number.h"
#include "base/number/quantity.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/control_channel.h"
#include "cli/option/option.h"
#include "event/syntax/parse.h"
#include "pipeline/recording/enable_schedule.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/recording.h"

namespace peregrine::cmd {

Result<> choose_delay(RecordCommandOptions& options, const Use& use) {
  auto schedule = use.negated ? Result<EnableSchedule>() : EnableSchedule::parse(use.value);
  if (!schedule) return std::unexpected(std::move(schedule.error()));
  options.sampling().initial_delay_ms = schedule->first_ms();
  options.request.recording.run.schedule = std::move(*schedule);
  return {};
}

Result<> choose_control(RecordCommandOptions& options, const Use& use) {
  options.control.reset();
  if (use.negated) return {};
  auto channel = ControlChannel::open(use.value);
  if (!channel) return std::unexpected(std::move(channel.error()));
  options.control.emplace(std::move(*channel));
  return {};
}

Result<> choose_max_size(RecordCommandOptions& options, const Use& use) {
  options.request.recording.run.max_bytes = 0;
  if (use.negated) return {};
  const auto bytes = parse_bytes(use.value);
  if (!bytes) {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("--max-size: invalid size '{}'", use.value)}.with_hint(
        "a number with a unit: 100M (B, K, M, G)"));
  }
  options.request.recording.run.max_bytes = *bytes;
  return {};
}

Result<> choose_switch(RecordCommandOptions& options, const Use& use) {
  options.request.recording.switching.when.reset();
  if (use.negated) return {};
  auto condition = parse_switch_condition(use.value);
  if (!condition) return std::unexpected(std::move(condition.error()));
  options.request.recording.switching.when = *condition;
  return {};
}

Result<> add_switch_events(RecordCommandOptions& options, const Use& use) {
  SwitchRequest& switching = options.request.recording.switching;
  if (use.negated) {
    switching.events.clear();
    return {};
  }
  if (!switching.when) switching.when = SwitchCondition{.by_signal = true};
  return parse_events(use.value, options.events.sources(), switching.events);
}

Result<> choose_sync(RecordCommandOptions& options, const Use& use) {
  options.request.recording.output.disk_sync = use.negated ? DiskSyncing::Never : DiskSyncing::EverySecond;
  return {};
}

Result<> choose_affinity(RecordCommandOptions& options, const Use& use) {
  options.request.recording.rings.affinity = RingAffinity::Anywhere;
  if (use.negated) return {};
  if (use.value == "node") {
    options.request.recording.rings.affinity = RingAffinity::Node;
  } else if (use.value == "cpu") {
    options.request.recording.rings.affinity = RingAffinity::Cpu;
  } else {
    return fail(ErrorKind::Usage, "--affinity: '{}' is neither node nor cpu", use.value);
  }
  return {};
}

Result<> choose_unwind(RecordCommandOptions& options, const Use& use) {
  options.request.recording.run.unwind = !use.negated && use.value == "now";
  if (use.negated || use.value == "now" || use.value == "later") return {};
  return fail(ErrorKind::Usage, "--unwind: '{}' is neither now nor later", use.value);
}

Result<> choose_flush(RecordCommandOptions& options, const Use& use) {
  options.request.recording.rings.least_bytes = 1;
  if (use.negated) return {};
  if (const auto plain = parse_number<u64>(use.value)) {
    options.request.recording.rings.least_bytes = *plain;
  } else if (const auto bytes = parse_bytes(use.value)) {
    options.request.recording.rings.least_bytes = *bytes;
  } else {
    return fail(ErrorKind::Usage, "--mmap-flush: invalid number of bytes '{}'", use.value);
  }
  return {};
}

Result<> choose_threads(RecordCommandOptions& options, const Use& use) {
  options.request.recording.rings.threads = use.negated ? "" : use.value;
  return {};
}

}  // namespace peregrine::cmd
