// CpuEvent: one event counting on every CPU, in a map from which BPF programs read it on the CPU they run on.
//
// With a registry, sessions that count the same event share one counter per CPU: the registry is a map pinned in a BPF
// file system, from attr to the number of the map of counters. The counters live as long as one session holds that map
// (BPF_F_PRESERVE_ELEMS, linux 5.10), so that nothing has to be cleaned up but the small registry itself.
#pragma once
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

class CpuEvent {
 public:
  // `registry`: a path in a BPF file system, "" for counters of our own; one that cannot be used is told in `unshared`.
  // Errors: System, with system_errno of perf_event_open(2) or bpf(2).
  static Result<CpuEvent> open(const EventSpec& spec, const CpuList& cpus, const std::string& registry,
                               std::string& unshared);

  int map() const { return map_.get(); }
  // Another session had it open already.
  bool found() const { return found_; }

 private:
  CpuEvent() = default;

  Fd map_;
  bool found_ = false;
};

}  // namespace peregrine
