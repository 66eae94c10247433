// Why KVM guests exit, and how long it takes: from a recording, or repeatedly while they run. For kvm stat. Main
// thread only.
#pragma once
#include <optional>
#include <string>

#include "analysis/guest/guest_exits.h"
#include "base/result.h"
#include "base/types.h"
#include "event/source.h"
#include "event/spec.h"
#include "output/sink.h"
#include "session/record/record_request.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

// As given in options.
struct GuestChoice {
  std::string event = "vmexit";  // or "mmio", "ioport"
  std::string key = "sample";    // sorted by count, or "time": by mean
  std::string pids;              // "7,9": only guests that are these processes; empty: all
  std::optional<u32> vcpu;       // only virtual CPUs with this number
};

struct GuestTable {
  GuestExits::Request which;
  bool by_time = false;
  std::string title;  // "all VMs, VCPU 1"
};
// Errors: Usage, an unknown event or key, pids that are not numbers.
Result<GuestTable> guest_table(const GuestChoice& choice);

// Errors: a broken file; Unsupported, the recording has no guest events.
Result<> show_guest_exits(TracedRecording& recording, const GuestTable& table, Sink& out, SessionListener& listener);

struct GuestWatchRequest {
  GuestTable table;
  double seconds = 1;          // interval between tables
  bool clears_screen = false;  // called before each table
};
// Samples guests and prints tables until the recording ends. `record` selects the target and sampling; `events` are the
// guest tracepoints with their fields. `sources` must outlive the call. Errors: as RecordingPlan; events cannot be
// opened; output fails.
Result<> watch_guest_exits(const GuestWatchRequest& request, const RecordRequest& record, EventSources& sources,
                           EventList events, Sink& out, SessionListener& listener);

}  // namespace peregrine
