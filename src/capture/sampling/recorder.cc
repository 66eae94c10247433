#include "capture/sampling/recorder.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/background_close.h"
#include "capture/perf_event/breakpoint_symbol.h"
#include "event/filter/sample_filter.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/root.h"

namespace peregrine {
namespace {

// The ring of a descriptor: one per CPU (0 and up) or, without a CPU, one per thread (below 0). Backward events have
// separate rings.
i64 ring_axis(const Cell& cell, bool backward) {
  return 2 * i64{cell.cpu >= 0 ? cell.cpu : -1 - cell.thread} + (backward ? 1 : 0);
}

std::unexpected<Error> mapping_failed(Error error, std::size_t ring_bytes) {
  if (error.system_errno == EPERM) {
    error.message = fmt::format(
        "Permission error mapping pages.\n"
        "Consider increasing /proc/sys/kernel/perf_event_mlock_kb,\n"
        "or try again with a smaller value of -m/--mmap_pages.\n"
        "(current value: {},0)",
        ring_bytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  } else {
    error.message = fmt::format("failed to mmap with {} ({})", error.system_errno, ::strerror(error.system_errno));
  }
  return std::unexpected(std::move(error));
}

}  // namespace

Result<Recorder> Recorder::open(EventList& events, const Target& target, const PerfLimits& limits,
                                std::size_t ring_bytes, std::vector<std::string>& warnings, OnOpen on_open) {
  PEREGRINE_TRY(place_breakpoints(Root(), target, events));
  Recorder recorder;
  OpenPolicy policy;
  policy.limits = limits;
  policy.cpus = target.per_thread ? CpuList{-1} : target.cpus;
  policy.threads = target.threads;
  policy.on_open = std::move(on_open);
  auto matrix = EventMatrix::open(events, policy, warnings);
  if (!matrix) return std::unexpected(std::move(matrix.error()));
  recorder.matrix_ = std::move(*matrix);
  recorder.cpus_ = policy.cpus;
  recorder.slow_to_close_ = std::ranges::any_of(events, &EventSpec::is_tracepoint);
  for (const EventSpec& spec : events) recorder.backward_.push_back(spec.attr.has(abi::attr_flag::WriteBackward));
  PEREGRINE_TRY(recorder.matrix_.set_filters(events));
  PEREGRINE_TRY(recorder.attach_sample_filters(events));
  PEREGRINE_TRY(recorder.map_rings(ring_bytes, limits));
  recorder.collect_ids();
  return recorder;
}

Recorder::~Recorder() {
  if (!slow_to_close_) return;
  rings_.clear();  // a mapping keeps its event alive
  close_in_background(matrix_.take_descriptors());
}

Result<> Recorder::attach_sample_filters(const EventList& events) {
  for (std::size_t index = 0; index < events.size(); ++index) {
    const EventSpec& spec = events[index];
    if (!spec.filters_samples()) continue;
    const auto filter = parse_sample_filter(*spec.filter);
    if (!filter) return fail(ErrorKind::Usage, "{}: {}", *spec.filter, filter.error().what);
    auto program = SampleFilterProgram::load(*filter);
    if (!program && (program.error().system_errno == EPERM || program.error().system_errno == EACCES)) {
      auto pinned = PinnedSampleFilter::open(*filter);
      if (pinned || pinned.error().kind != ErrorKind::NotFound) {
        PEREGRINE_TRY(attach_sample_filter(std::move(pinned), index, pinned_filters_));
        continue;
      }
      program.error().hint += "; root can enable filters for all users: record --setup-filter=pin";
    }
    PEREGRINE_TRY(attach_sample_filter(std::move(program), index, sample_filters_));
  }
  return {};
}

template <class Filter>
Result<> Recorder::attach_sample_filter(Result<Filter> filter, std::size_t event, std::vector<Filter>& kept) {
  if (!filter) return std::unexpected(std::move(filter.error()));
  for (const Cell& cell : matrix_.at(event).cells)
    if (cell.fd) PEREGRINE_TRY(filter->attach(cell.fd.get()));
  kept.push_back(std::move(*filter));
  return {};
}

u64 Recorder::filtered_out() const {
  u64 count = 0;
  for (const SampleFilterProgram& filter : sample_filters_) count += filter.dropped();
  for (const PinnedSampleFilter& filter : pinned_filters_) count += filter.dropped();
  return count;
}

std::vector<std::string> Recorder::remove_shared_filters() {
  std::vector<std::string> problems;
  for (PinnedSampleFilter& filter : pinned_filters_) {
    const auto removed = filter.remove();
    if (removed) continue;
    std::string problem = fmt::format("samples may be unfiltered: {}", removed.error().message);
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
  }
  return problems;
}

// Hundreds of tracepoints fill the default ring (512 kB) within a tenth of a second.
std::size_t Recorder::ring_factor() const {
  constexpr std::size_t kMany = 100, kMostCpus = 32;
  if (!slow_to_close_ || backward_.size() < kMany || cpus_.size() > kMostCpus) return 1;
  return 16;
}

Result<> Recorder::map_rings(std::size_t ring_bytes, const PerfLimits& limits) {
  const bool chosen = ring_bytes != 0;
  ring_bytes_ = chosen ? ring_bytes : default_ring_size(limits.mlock_kb) * ring_factor();
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (;;) {
    rings_.clear();
    ring_of_.clear();
    auto mapped = map_cells();
    if (mapped) break;
    if (chosen || mapped.error().system_errno != EPERM || ring_bytes_ <= page) {
      return mapping_failed(std::move(mapped.error()), ring_bytes_);
    }
    ring_bytes_ /= 2;
  }
  return {};
}

// All descriptors of a CPU (or thread) share one ring: the first is mapped, the others write into it. Rings are created
// in axis order, so that their numbers match linux-perf's.
Result<> Recorder::map_cells() {
  for (std::size_t index = 0; index < backward_.size(); ++index) {
    for (const Cell& cell : matrix_.at(index).cells) {
      if (!cell.fd) continue;
      const i64 axis = ring_axis(cell, backward_[index]);
      const auto [found, fresh] = ring_of_.try_emplace(axis, rings_.size());
      if (fresh) {
        auto buffer = RingBuffer::map(cell.fd.get(), ring_bytes_, backward_[index]);
        if (!buffer) return std::unexpected(std::move(buffer.error()));
        rings_.push_back({std::move(*buffer), cell.cpu, cell.cpu < 0 ? cell.thread : -1, {cell.fd.get()}, {}});
        continue;
      }
      Ring& ring = rings_[found->second];
      if (::ioctl(cell.fd.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.writers.front()) != 0) {
        return fail_errno("cannot share a ring buffer");
      }
      ring.writers.push_back(cell.fd.get());
    }
  }
  return {};
}

void Recorder::collect_ids() {
  for (std::size_t index = 0; index < backward_.size(); ++index) {
    auto& ids = ids_.emplace_back();
    for (const Cell& cell : matrix_.at(index).cells) {
      if (!cell.fd) continue;
      ids.push_back(event_id(cell.fd.get()));
      id_index_.push_back({ids.back(), ring_of_.at(ring_axis(cell, backward_[index])),
                           static_cast<u64>(static_cast<i64>(cell.cpu)),
                           static_cast<u64>(static_cast<i64>(cell.thread))});
    }
  }
}

Result<> Recorder::pause_backward_rings(bool paused) {
  for (const Ring& ring : rings_) {
    if (!ring.buffer.backward()) continue;
    if (::ioctl(ring.writers.front(), PERF_EVENT_IOC_PAUSE_OUTPUT, paused ? 1 : 0) != 0) {
      return fail_errno("cannot pause a ring buffer");
    }
  }
  return {};
}

std::vector<Recorder::Lost> Recorder::read_lost(const EventList& events) const {
  std::vector<Lost> result;
  std::vector<abi::ReadValue> storage;
  std::byte bytes[1024];
  for (std::size_t index = 0; index < events.size(); ++index) {
    const u64 format = events[index].attr.read_format;
    if ((format & abi::read_bit::Lost) == 0 || (format & abi::read_bit::Group) != 0) continue;
    std::size_t at = 0;
    for (const Cell& cell : matrix_.at(index).cells) {
      if (!cell.fd) continue;
      const u64 id = ids_[index][at++];
      const ssize_t size = ::read(cell.fd.get(), bytes, sizeof bytes);
      if (size <= 0) continue;
      ByteReader in(Bytes(bytes).first(static_cast<std::size_t>(size)));
      abi::ReadValues values;
      if (!abi::decode_read(in, format, values, storage) || values.values.empty()) continue;
      if (values.values[0].lost != 0) result.push_back({index, id, cell.cpu, values.values[0].lost});
    }
  }
  return result;
}

}  // namespace peregrine
