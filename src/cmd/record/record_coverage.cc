#include "cmd/record/record_coverage.h"

#include "pipeline/recording/sample_coverage.h"

namespace peregrine::cmd {

namespace {
constexpr double kPoor = 0.8;
}

void tell_poor_coverage(const RecordCommandOptions& options, const EventList& events, const RecordingSummary& summary,
                        Invocation& call) {
  // Events that were off for a while, and recordings that ended before the command.
  if (!options.schedule.at_once() || options.control || options.max_bytes != 0) return;
  const auto coverage = sample_coverage(events, summary);
  if (!coverage || coverage->share() >= kPoor) return;
  call.messages.warning(
      fmt::format(
          "the samples cover {:.0f} % of the command's CPU time ({:.2f} of {:.2f} s): threads that live shorter "
          "than {:.1f} ms are not sampled",
          100 * coverage->share(), static_cast<double>(coverage->sampled_ns) / 1e9,
          static_cast<double>(coverage->used_ns) / 1e9, static_cast<double>(coverage->period_ns) / 1e6),
      "record it with --per-cpu, which samples whole CPUs and keeps the samples of the command (as root)");
}

}  // namespace peregrine::cmd
