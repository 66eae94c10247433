// ProbeEvents: lists, adds and removes the kernel's dynamic probes, through uprobe_events and kprobe_events of tracefs.
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/definition/trace_probe.h"
#include "sys/kernel/tracefs.h"
#include "sys/root.h"

namespace peregrine {

class ProbeEvents {
 public:
  static Result<ProbeEvents> open(const Root& root);

  // In the kernel's order, kernel probes first. Denied if neither list is readable.
  Result<std::vector<TraceProbe>> list() const;
  // Checks that probes of this kind are available; the error names what the kernel lacks.
  Result<> check(bool user) const;
  Result<> add(const TraceProbe& probe) const;
  // Removes all probes of that name. System with EBUSY while someone records, counts or traces it.
  Result<> remove(const TraceProbe& probe) const;
  // Retries until `until` while the kernel reports EBUSY: it closes the descriptors of a finished recording in the
  // background, so the event stays busy for a moment.
  Result<> remove_idle(const TraceProbe& probe, std::chrono::steady_clock::time_point until) const;
  bool knows_name(std::string_view group, std::string_view event) const;
  // True if this kernel's README contains that keyword ("ustring", "ref_ctr_offset").
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
