// CpuEvent: one event that counts on every CPU, in a map from which BPF programs read the current CPU's counter.
//
// With a registry, sessions that count the same event share one counter per CPU. The registry is a map pinned in a BPF
// file system, from attr to the id of the map of counters. The counters live as long as any session holds that map
// (BPF_F_PRESERVE_ELEMS, linux 5.10), so only the small registry is left behind.
#pragma once
#include <array>
#include <cstddef>
#include <string>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

// The key of an event in the registry: its attr without a session's own settings, so that all sessions that count the
// event find the same counters.
using SharedEventKey = std::array<std::byte, abi::kAttrSizeKnown>;
SharedEventKey shared_event_key(const abi::EventAttr& attr);

class CpuEvent {
 public:
  // `registry`: a path in a BPF file system, or "" for private counters; `unshared` says why it cannot be used. Errors:
  // System, with system_errno of perf_event_open(2) or bpf(2).
  static Result<CpuEvent> open(const EventSpec& spec, const CpuList& cpus, const std::string& registry,
                               std::string& unshared);

  int map() const { return map_.get(); }
  // Whether another session had opened it already.
  bool found() const { return found_; }

 private:
  CpuEvent() = default;

  Fd map_;
  bool found_ = false;
};

}  // namespace peregrine
