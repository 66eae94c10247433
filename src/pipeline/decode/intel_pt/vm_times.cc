#include "pipeline/decode/intel_pt/vm_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <utility>

#include "auxtrace/intel_pt/clock.h"
#include "auxtrace/intel_pt/guest_times.h"
#include "base/bytes.h"
#include "base/concurrency/all_signals_held.h"
#include "base/fd.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "pipeline/decode/intel_pt/intel_pt_facts.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {
namespace {

using auxtrace::GuestTimes;
using auxtrace::kTscMask;

constexpr u64 kRecordBytes = 48;  // size of an AUXTRACE record, which precedes its trace
constexpr u64 kReadAtOnce = u64{1} << 20;
// Offsets of one guest may differ by this much: a crystal tick is not a whole number of TSC ticks.
constexpr u64 kJitter = 4096;

u64 signed_offset(u64 low) { return static_cast<u64>(static_cast<i64>(low << 8) >> 8); }

bool are_close(u64 one, u64 other) {
  const u64 ahead = (one - other) & kTscMask, behind = (other - one) & kTscMask;
  return std::min(ahead, behind) <= kJitter;
}

// Removes the text before the separator, and the separator, and returns the text.
std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

// The trace of one queue, and the file offsets of its bytes.
class PlacedTrace {
 public:
  PlacedTrace(const data::Reader& reader, std::vector<TracePiece> pieces)
      : reader_(reader), pieces_(std::move(pieces)) {}

  template <class Take>
  Result<> each_time(const auxtrace::ClockFacts& clock, bool snapshots, Take take) {
    GuestTimes times(clock);
    starts_.clear();
    u64 start = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const TracePiece& piece = pieces_[i];
      const bool follows = i != 0 && !snapshots && pieces_[i - 1].offset + pieces_[i - 1].size == piece.offset;
      starts_.push_back(start);
      for (u64 read = 0; read < piece.size;) {
        const auto bytes = read_piece(reader_, piece, read, kReadAtOnce);
        if (!bytes) return std::unexpected(bytes.error());
        if (bytes->empty()) break;
        times.feed(*bytes, read == 0 && !follows);
        read += bytes->size();
        start += bytes->size();
        for (const GuestTimes::Time& time : times.take()) PEREGRINE_TRY(take(time));
      }
    }
    return {};
  }

  // Returns the file offset of byte `at` of the trace.
  u64 place_in_file(u64 at) const {
    const auto piece = static_cast<std::size_t>(std::ranges::upper_bound(starts_, at) - starts_.begin()) - 1;
    return pieces_[piece].place + kRecordBytes + (at - starts_[piece]);
  }

 private:
  const data::Reader& reader_;
  std::vector<TracePiece> pieces_;
  std::vector<u64> starts_;
};

class Correlation {
 public:
  Correlation(const VmTimeOptions& options, VmTimes& found) : options_(options), found_(found) {}

  const u64* given(u64 vmcs) const {
    const u64* others = nullptr;
    for (const VmTimeOptions::Offset& offset : options_.offsets) {
      if (std::ranges::find(offset.vmcs, vmcs) != offset.vmcs.end()) return &offset.ticks;
      if (offset.vmcs.empty()) others = &offset.ticks;
    }
    return others;
  }

  Result<> look(const GuestTimes::Time& time) {
    ++found_.packets;
    Guest& guest = guests_[time.vmcs];
    if (time.offset) ++guest.offsets[*time.offset];
    const u64* const offset = given(time.vmcs);
    if (offset == nullptr) {
      guest.unknown = true;
    } else if (!time.offset) {
      guest.has_untold = true;
    } else if (are_close(*time.offset, 0)) {
      guest.has_converted = true;
    } else if (are_close(*time.offset, *offset)) {
      guest.has_open = true;
    } else {
      guest.other = time.offset;
    }
    return {};
  }

  // Returns whether the time still includes the offset, so that it must be subtracted.
  bool is_open(const GuestTimes::Time& time) const {
    return time.offset ? !are_close(*time.offset, 0) : !guests_.at(time.vmcs).has_converted;
  }

  void finish() {
    for (const auto& [vmcs, guest] : guests_) {
      if (guest.unknown) found_.errors.push_back(fmt::format("Unknown TSC Offset for VMCS {:#x}", vmcs));
      if (guest.other)
        found_.errors.push_back(fmt::format("TSC Offset of VMCS {:#x} is {:#x}, not {:#x}", vmcs,
                                            signed_offset(*guest.other), *given(vmcs)));
      if (guest.has_converted && guest.has_open && guest.has_untold)
        found_.errors.push_back(fmt::format("VMCS {:#x}: some times are already host times, others are not", vmcs));
      // Prefer the offset of times that are not converted yet, then the most frequent one.
      const auto rank = [](const auto& one) { return std::pair(!are_close(one.first, 0), one.second); };
      const auto most = std::ranges::max_element(guest.offsets, {}, rank);
      if (most != guest.offsets.end())
        found_.guests.push_back({.vmcs = vmcs,
                                 .ticks = signed_offset(most->first),
                                 .is_converted = guest.has_converted && !guest.has_open && !guest.other});
    }
  }

 private:
  struct Guest {
    std::map<u64, u64> offsets;  // offset → count
    bool unknown = false;        // a time without a given offset
    std::optional<u64> other;    // the trace contains another offset
    // Whether there are times with the given offset, without any, and with an offset that the trace does not contain.
    bool has_open = false, has_converted = false, has_untold = false;
  };
  const VmTimeOptions& options_;
  VmTimes& found_;
  std::map<u64, Guest> guests_;  // by VMCS
};

Result<> write_time(const PlacedTrace& trace, const GuestTimes::Time& time, u64 offset, int file,
                    std::string_view name) {
  ByteWriter bytes(ByteOrder::Little);
  bytes.put64((time.tsc - offset) & kTscMask);
  // One write, unless the packet continues in the next piece of the trace.
  const u64 first = trace.place_in_file(time.place + auxtrace::kTscAt);
  if (trace.place_in_file(time.place + auxtrace::kTscBytes) == first + auxtrace::kTscBytes - 1)
    return pwrite_all(file, bytes.bytes().data(), auxtrace::kTscBytes, first, name);
  for (unsigned i = 0; i < auxtrace::kTscBytes; ++i) {
    const u64 place = trace.place_in_file(time.place + auxtrace::kTscAt + i);
    PEREGRINE_TRY(pwrite_all(file, bytes.bytes().data() + i, 1, place, name));
  }
  return {};
}

}  // namespace

Result<VmTimeOptions> parse_vm_time_options(std::string_view text) {
  VmTimeOptions options;
  const auto invalid = [&](std::string_view what) {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("--vm-time-correlation: invalid {}", what)}.with_hint(
        "expected [dry-run] [OFFSET[:VMCS[,VMCS]...]]..."));
  };
  bool first = true, has_default = false;
  while (!text.empty()) {
    std::string_view word = take_part(text, ' ');
    if (word.empty()) continue;
    if (std::exchange(first, false) && word == "dry-run") {
      options.dry_run = true;
      continue;
    }
    const bool for_all = word.find(':') == word.npos;
    const std::string_view number = take_part(word, ':');
    const auto ticks = to_number(number);
    if (!ticks) return invalid(fmt::format("TSC offset '{}'", number));
    if (for_all && std::exchange(has_default, true))
      return invalid(fmt::format("second TSC offset '{}' for all guests", number));
    VmTimeOptions::Offset offset{.ticks = *ticks, .vmcs = {}};
    while (!word.empty()) {
      const std::string_view vmcs = take_part(word, ',');
      const auto page = to_number(vmcs);
      if (!page) return invalid(fmt::format("VMCS '{}'", vmcs));
      offset.vmcs.push_back(*page);
    }
    if (!for_all && offset.vmcs.empty()) return invalid(fmt::format("VMCS of TSC offset '{}'", number));
    options.offsets.push_back(std::move(offset));
  }
  return options;
}

Result<VmTimes> correlate_vm_times(const data::Reader& reader, const VmTimeOptions& options, int file) {
  if (reader.header().layout != data::Layout::File)
    return fail(ErrorKind::Unsupported, "{}: only single-file recordings can be changed in place", reader.path());
  auto traces = find_traces(reader);
  if (!traces) return std::unexpected(std::move(traces.error()));
  const auto facts = traces->type == TraceType::IntelPt ? IntelPtFacts::of(*traces) : std::nullopt;
  if (!facts || traces->pieces.empty()) return fail(ErrorKind::Unsupported, "{}: no Intel PT trace", reader.path());
  u64 config = 0;
  for (const data::Event& event : reader.evlist())
    if (event.attr.type == facts->pmu_type) config = event.attr.config;
  const auxtrace::ClockFacts clock = facts->flow(config).clock;
  std::vector<PlacedTrace> queues;
  for (auto& pieces : pieces_by_queue(*traces)) queues.emplace_back(reader, std::move(pieces));
  // Two passes over the traces: the file is changed only after every time was seen and all offsets agree. Times that
  // are host times already stay, so a second run changes nothing.
  VmTimes found;
  Correlation correlation(options, found);
  for (PlacedTrace& queue : queues)
    PEREGRINE_TRY(
        queue.each_time(clock, facts->snapshots, [&](const GuestTimes::Time& time) { return correlation.look(time); }));
  correlation.finish();
  if (options.dry_run || !found.errors.empty()) return found;
  const AllSignalsHeld whole;  // a signal must not leave the file half changed
  for (PlacedTrace& queue : queues)
    PEREGRINE_TRY(queue.each_time(clock, facts->snapshots, [&](const GuestTimes::Time& time) {
      if (!correlation.is_open(time)) return Result<>();
      return write_time(queue, time, *correlation.given(time.vmcs), file, reader.path());
    }));
  return found;
}

}  // namespace peregrine
