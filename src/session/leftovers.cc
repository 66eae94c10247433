#include "session/leftovers.h"

#include <fmt/format.h>

#include <string_view>

#include "capture/tracer/tracer_guard.h"
#include "session/probe/temporary_probes.h"
#include "sys/kernel/ownership_record.h"
#include "sys/kernel/schedstat.h"
#include "sys/kernel/smi_freeze.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

class LeftoverReport {
 public:
  LeftoverReport(Pid owner, SessionListener& listener) : owner_(owner), listener_(listener) {}

  void removed(std::string_view what) const {
    listener_.warning(fmt::format("removed leftovers of killed process {}: {}", owner_, what));
  }
  void refused(std::string_view what, std::string_view why) const {
    listener_.warning(fmt::format("cannot remove leftovers of killed process {}: {}", owner_, what), why);
  }

 private:
  Pid owner_;
  SessionListener& listener_;
};

void tell_leftover(const AbandonedTracer& tracer, const LeftoverReport& report) {
  if (!tracer.foreign.empty())
    report.refused(tracer.what,
                   fmt::format("not changed: someone else has set {} since", fmt::join(tracer.foreign, ", ")));
  else if (!tracer.refused.empty())
    report.refused(tracer.what, fmt::format("in use: {}; the next run tries again", fmt::join(tracer.refused, ", ")));
  else
    report.removed(tracer.what);
}

void tell_leftover(const AbandonedProbes& probes, const LeftoverReport& report) {
  if (!probes.removed.empty()) report.removed(fmt::format("probes {}", fmt::join(probes.removed, ", ")));
  if (!probes.refused.empty())
    report.refused(fmt::format("probes {}", fmt::join(probes.refused, ", ")),
                   "another program records them; the next run tries again");
}

}  // namespace

void remove_leftovers(const Root& root, SessionListener& listener) {
  for (OwnershipRecord& record : OwnershipRecord::abandoned(root)) {
    const LeftoverReport told(record.owner(), listener);
    if (const auto tracer = undo_abandoned_tracer(root, record))
      tell_leftover(*tracer, told);
    else if (const auto probes = undo_abandoned_probes(root, record))
      tell_leftover(*probes, told);
    else if (undo_abandoned_freeze(root, record))
      told.removed("freeze_on_smi");
    else if (undo_abandoned_sched_stats(root, record))
      told.removed("kernel.sched_schedstats");
  }
}

}  // namespace peregrine
