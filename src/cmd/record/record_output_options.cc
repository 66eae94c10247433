#include "cmd/record/record_output_options.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/number/quantity.h"
#include "base/result.h"
#include "base/types.h"
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

Result<u64> parse_max_size(std::string_view words) {
  if (const auto bytes = parse_bytes(words)) return *bytes;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid --max-size '{}'", words)}.with_hint(
      "must be a number with suffix B, K, M or G, such as 100M"));
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

Result<RingAffinity> parse_affinity(std::string_view word) {
  if (word == "node") return RingAffinity::Node;
  if (word == "cpu") return RingAffinity::Cpu;
  return fail(ErrorKind::Usage, "invalid --affinity '{}': must be node or cpu", word);
}

Result<bool> parse_unwind(std::string_view word) {
  if (word == "now" || word == "later") return word == "now";
  return fail(ErrorKind::Usage, "invalid --unwind '{}': must be now or later", word);
}

Result<u64> parse_flush(std::string_view words) {
  if (const auto plain = parse_number<u64>(words)) return *plain;
  if (const auto bytes = parse_bytes(words)) return *bytes;
  return fail(ErrorKind::Usage, "invalid --mmap-flush '{}': must be a number of bytes", words);
}

}  // namespace peregrine::cmd
