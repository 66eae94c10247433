// ProbeEvents: the dynamic probes that the kernel has now, and adding and removing them: uprobe_events and
// kprobe_events of tracefs.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "probe/definition/trace_probe.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

class ProbeEvents {
 public:
  static Result<ProbeEvents> open(const Root& root);

  // In the order of the kernel: kernel probes, then those of programs. Denied when neither list may be read.
  Result<std::vector<TraceProbe>> list() const;
  // What can be defined here. The error says what the kernel lacks.
  Result<> check(bool user) const;
  Result<> add(const TraceProbe& probe) const;
  // All probes of that name. System with EBUSY while somebody records, counts or traces it.
  Result<> remove(const TraceProbe& probe) const;
  // The same, tried again until `until` while the kernel says EBUSY: it drops the descriptors of a recording that has
  // ended in the background, so the event stays busy for a moment.
  Result<> remove_idle(const TraceProbe& probe, std::chrono::steady_clock::time_point until) const;
  bool knows_name(std::string_view group, std::string_view event) const;
  // Whether this kernel's README names that word ("ustring", "ref_ctr_offset").
  bool supports(std::string_view word) const { return readme_.find(word) != std::string::npos; }

 private:
  ProbeEvents(const Root& root, Tracefs tracefs);
  std::string path(bool user) const;
  Result<> write(bool user, const std::string& line) const;
  Result<> check_unused(const TraceProbe& probe) const;
  Result<> check_enable_file(const std::string& file, bool try_it) const;
  Error explain(const TraceProbe& probe, Error error) const;

  Root root_;
  Tracefs tracefs_;
  std::string readme_;
};

}  // namespace peregrine
