// Why guests of KVM exit, and for how long: from a recording, or again and again while they run. For kvm stat. Main
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

// In the words of options.
struct GuestChoice {
  std::string event = "vmexit";  // or "mmio", "ioport"
  std::string key = "sample";    // sorted by count; or "time": by mean
  std::string pids;              // "7,9": only guests of these processes; empty: all
  std::optional<u32> vcpu;       // only virtual CPUs with this number
};

struct GuestTable {
  GuestExits::Request which;
  bool by_time = false;
  std::string title;  // "all VMs, VCPU 1"
};
// Errors: Usage, an unknown event or key, pids that are not numbers.
Result<GuestTable> guest_table(const GuestChoice& choice);

// Errors: a broken file; Unsupported if the recording has no events of guests.
Result<> show_guest_exits(TracedRecording& recording, const GuestTable& table, Sink& out, SessionListener& listener);

struct GuestWatchRequest {
  GuestTable table;
  double seconds = 1;          // between tables
  bool clears_screen = false;  // before each table
};
// Samples guests, and prints tables until the recording ends. `record` says whom and how to sample, and `events` are
// the tracepoints of guests, with their fields. `sources` must outlive the call. Errors: as RecordingPlan; events that
// cannot be opened; an output that fails.
Result<> watch_guest_exits(const GuestWatchRequest& request, const RecordRequest& record, EventSources& sources,
                           EventList events, Sink& out, SessionListener& listener);

}  // namespace peregrine
