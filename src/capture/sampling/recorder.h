// Recorder: sampling events opened on a target, their ring buffers, and the ids that map records to events.
//
// Ring layout is linux-perf's: one per CPU, shared by all events and threads there, or one per thread with
// --per-thread. Reads only the headers of records (for the tally). The pipeline handles draining order and files.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/filter/pinned_filter_setup.h"
#include "capture/bpf/filter/sample_filter.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/perf_event/ring_buffer.h"
#include "capture/synthesis/session.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

struct Ring {
  RingBuffer buffer;
  int cpu = -1;  // -1: a thread's ring
  Pid thread = -1;
  std::vector<int> writers;  // descriptors that write to it, owner first
  RingTally tally;           // of all drained records
};

class Recorder {
 public:
  // `ring_bytes` 0: the default, reduced if locked memory does not suffice. Changes `events` to what was opened.
  // Errors: those of EventMatrix::open, of filters, and of mmap (with linux-perf's text for EPERM).
  static Result<Recorder> open(EventList& events, const Target& target, const PerfLimits& limits,
                               std::size_t ring_bytes, std::vector<std::string>& warnings, OnOpen on_open = {});

  Recorder(Recorder&&) noexcept = default;
  Recorder& operator=(Recorder&&) noexcept = default;
  // Does not wait for the kernel to release tracepoints.
  ~Recorder();

  std::vector<Ring>& rings() { return rings_; }
  // Pauses or resumes the kernel's writing into backward rings.
  Result<> pause_backward_rings(bool paused);
  EventMatrix& matrix() { return matrix_; }
  // Sample ids of each event, ordered by CPU, then thread.
  const std::vector<std::vector<u64>>& ids() const { return ids_; }
  const std::vector<IdIndexEntry>& id_index() const { return id_index_; }
  std::size_t ring_bytes() const { return ring_bytes_; }
  // The CPU axis of the recording: {-1} with --per-thread.
  const CpuList& cpus() const { return cpus_; }

  // Samples lost per event and cell, from read(2); needs PERF_FORMAT_LOST.
  struct Lost {
    std::size_t event = 0;
    u64 id = 0;
    int cpu = -1;
    u64 lost = 0;
  };
  // Samples that the events' filters rejected.
  u64 filtered_out() const;
  // Call after disabling the events and after filtered_out(). Returns warnings about changes that other users made to
  // the filters.
  std::vector<std::string> remove_shared_filters();
  std::vector<Lost> read_lost(const EventList& events) const;

 private:
  Recorder() = default;
  Result<> attach_sample_filters(const EventList& events);
  template <class Filter>
  Result<> attach_sample_filter(Result<Filter> filter, std::size_t event, std::vector<Filter>& kept);
  Result<> map_rings(std::size_t ring_bytes, const PerfLimits& limits);
  std::size_t ring_factor() const;
  Result<> map_cells();
  void collect_ids();

  EventMatrix matrix_;
  std::vector<bool> backward_;  // by event
  std::vector<SampleFilterProgram> sample_filters_;
  std::vector<PinnedSampleFilter> pinned_filters_;  // for users who may not load programs
  std::vector<Ring> rings_;
  std::vector<std::vector<u64>> ids_;
  std::vector<IdIndexEntry> id_index_;
  CpuList cpus_;
  std::unordered_map<i64, std::size_t> ring_of_;  // by ring_axis()
  std::size_t ring_bytes_ = 0;
  bool slow_to_close_ = false;  // there are tracepoints
};

}  // namespace peregrine
