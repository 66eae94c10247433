#include "session/bench/uprobe_trials.h"

#include <unistd.h>

#include <expected>
#include <optional>

#include "trial/stop_watch.h"

namespace peregrine {
namespace {

constexpr unsigned kSleepMicroseconds = 1000;

Result<double> microseconds_of_calls(u64 loops) {
  if (loops == 0) return fail(ErrorKind::Usage, "--loop must be at least 1");
  const StopWatch watch;
  for (u64 i = 0; i < loops; ++i) ::usleep(kSleepMicroseconds);
  return watch.seconds() * 1e6;
}

void write_call_costs(const UprobeTrialRequest& request, double took, std::optional<double> baseline, Sink& out) {
  if (request.simple) {
    out.format("{:.0f}\n", took);
    return;
  }
  const auto calls = static_cast<double>(request.loops);
  out.format("# Executed {} usleep({}) calls\n", request.loops, kSleepMicroseconds);
  out.format(" {:>14}: {:.0f} usecs", "Total time", took);
  if (baseline) out.format(" {:+.0f} to baseline", took - *baseline);
  out.format("\n\n {:14.3f} usecs/op", took / calls);
  if (baseline) out.format(" {:+.3f} usecs/op to baseline", (took - *baseline) / calls);
  out.append('\n');
}

}  // namespace

Result<> run_uprobe_baseline(const UprobeTrialRequest& request, Sink& out) {
  const auto took = microseconds_of_calls(request.loops);
  if (!took) return std::unexpected(took.error());
  write_call_costs(request, *took, std::nullopt, out);
  return {};
}

Result<> run_uprobe(UprobeWork work, const UprobeTrialRequest& request, Sink& out) {
  const auto baseline = microseconds_of_calls(request.loops);
  if (!baseline) return std::unexpected(baseline.error());
  const auto probe = UprobeTrial::attach("usleep", work);
  if (!probe) return std::unexpected(probe.error());
  const auto took = microseconds_of_calls(request.loops);
  if (!took) return std::unexpected(took.error());
  write_call_costs(request, *took, *baseline, out);
  return {};
}

}  // namespace peregrine
