// TraceEvents: the events of a trace.dat file in time order, merged from the pages of all CPUs and trace instances.
//
//   pages of each CPU ─▶ RingPage ─▶ event, with the stacks that follow it ─▶ merged by time
//
// Memory: one page for each CPU and buffer. A view is valid until the next call. The rest of a damaged page is skipped
// and counted. Main thread only.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/trace_dat/trace_dat.h"
#include "pipeline/trace_dat/ring_event_fields.h"

namespace peregrine {

// Pages that are not packed, in a file.
struct PlainPages {
  int fd = -1;
  u32 page_size = 0;
  data::CpuPages pages;
};

struct TraceEvent {
  u64 time = 0;
  u32 cpu = 0;
  Bytes data;
  std::optional<u64> lost;               // events before this one; 0: an unknown number
  const std::vector<u64>*kernel, *user;  // its stacks, innermost first; empty: none
};

// Events of a CPU that were lost after its last event.
struct TrailingLoss {
  u64 time = 0;  // of the page that reports it, or of the last event, whichever is later
  u32 cpu = 0;
  u64 lost = 0;  // 0: an unknown number
};

class TraceEvents {
 public:
  // All must outlive this.
  TraceEvents(const std::vector<PlainPages>& pages, const data::TraceDat& file, const RingEventFields& fields);
  ~TraceEvents();
  // False at the end.
  Result<bool> next(TraceEvent& event);
  // Removes and returns the losses up to that time, in order of time. A CPU has one once next() has returned its last
  // event.
  std::vector<TrailingLoss> take_losses(u64 until);
  // At the end.
  u64 damaged_pages() const { return damaged_; }

 private:
  class Cursor;
  static bool is_later(const Cursor* a, const Cursor* b);
  Result<> put(Cursor& cursor);

  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::vector<Cursor*> waiting_;      // a heap, the earliest at the front
  Cursor* last_ = nullptr;            // gave the current event
  std::vector<TrailingLoss> losses_;  // not yet taken, in order of time
  bool begun_ = false;
  u64 damaged_ = 0;
};

}  // namespace peregrine
