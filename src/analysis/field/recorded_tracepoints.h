// RecordedTracepoints: locates tracepoints and fields in a recording by name, for analyses.
//
//   {"sched:sched_switch", {"prev_pid", "next_pid"}}  +  the recording's formats
//        └──view(sample)──▶ which = 0, number(0) = prev_pid, number(1) = next_pid
//
// Uses the formats in the recording, so files of any kernel can be read; a missing field reads as 0. Views and texts
// borrow from the sample.
#pragma once
#include <algorithm>
#include <bitset>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/field/trace_format.h"
#include "event/print/print_names.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct WantedTracepoint {
  std::string_view system, name;
  std::vector<std::string_view> fields;
  std::size_t needed = 1;  // how many of the first fields are required
};

class TracepointView {
 public:
  TracepointView(std::size_t wanted, const std::vector<const TraceField*>& fields, Bytes raw, ByteOrder order)
      : which(wanted), fields_(fields), raw_(raw), order_(order) {}

  std::size_t which;  // index of the WantedTracepoint
  bool has(std::size_t field) const { return field < fields_.size() && fields_[field] != nullptr; }
  u64 number(std::size_t field) const;
  std::string_view text(std::size_t field) const;

 private:
  const std::vector<const TraceField*>& fields_;
  Bytes raw_;
  ByteOrder order_;
};

class RecordedTracepoints {
 public:
  // `reader` must outlive this.
  RecordedTracepoints(const data::Reader& reader, std::vector<WantedTracepoint> wanted)
      : reader_(reader), wanted_(std::move(wanted)), found_(wanted_.size()) {}

  // Finds the events known so far; in a pipe, events may arrive late. Errors: the recording's formats are broken.
  Result<> learn();
  // Whether the recording has the tracepoint with all required fields.
  bool has(std::size_t which) const { return found_[which]; }
  bool any() const { return std::ranges::find(found_, true) != found_.end(); }
  // Index of the tracepoint that the event is; nothing if it is not one of the wanted ones.
  std::optional<std::size_t> which(u32 event) const {
    return event < events_.size() ? events_[event].which : std::nullopt;
  }
  // Nothing for samples of other events.
  std::optional<TracepointView> view(const ReplaySample& sample) const;
  // The format's names for values of the field, in its first or `table`-th table; nullptr if none.
  const PrintNames* names_of(std::size_t which, std::string_view field, std::size_t table = 0) const;
  u32 page_size() const { return formats_.page_size(); }  // of the recorded machine

 private:
  struct Known {
    std::optional<std::size_t> which;
    std::vector<const TraceField*> fields;
  };
  Known known_of(const TraceFormat& format) const;

  const data::Reader& reader_;
  std::vector<WantedTracepoint> wanted_;
  std::vector<bool> found_;
  TraceFormats formats_;
  std::vector<Known> events_;  // by index
};

// As ReplayOptions::shown expects them.
std::bitset<128> kinds_of_records(std::initializer_list<abi::RecordType> types);

// Base of the analyses: a sink that receives these tracepoints' samples in time order.
class TracepointSink : public ReplaySink {
 public:
  TracepointSink(const data::Reader& reader, std::vector<WantedTracepoint> wanted)
      : tracepoints_(reader, std::move(wanted)) {}

  void begin_batch() override;
  bool needs_samples_of(u32 event) const override { return tracepoints_.which(event).has_value(); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  // The error in the formats, if any.
  virtual Result<> outcome() const;
  // The records it needs in addition to samples, for ReplayOptions::shown.
  virtual std::bitset<128> records() const { return {}; }
  const RecordedTracepoints& tracepoints() const { return tracepoints_; }

 protected:
  virtual void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) = 0;

 private:
  RecordedTracepoints tracepoints_;
  std::optional<Error> error_;
};

}  // namespace peregrine
