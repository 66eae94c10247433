// TraceOutput: collects the samples of trace decoders as records of events added to the recording, in its byte order.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "abi/sample.h"
#include "auxtrace/itrace.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {

constexpr u64 kKernelStart = u64{1} << 63;                  // kernel addresses start here
constexpr std::size_t kMuchWaiting = std::size_t{1} << 20;  // bytes of samples to write before decoding more

// An error in a trace, and its location.
struct TraceError {
  u32 code = 0;
  u32 cpu = 0, pid = 0, tid = 0;
  u64 ip = 0, time = 0;
  std::string_view message;
};

struct TraceOutputOptions {
  bool facts = false;  // keep decoder-only data in samples: abi::TraceFacts. Not for files
  u64 skip = 0;        // number of samples to skip at the start
};

// Minimum attr for samples of an instruction trace; `traced`: attr of the event that recorded it.
abi::EventAttr trace_sample_attr(const abi::EventAttr& traced);

// Whether b, c and r request a branch with these abi::branch_flag.
bool wants_branch(const ItraceOptions& options, u32 flags);

class TraceOutput {
 public:
  // Adds events to `evlist`, which must outlive this.
  TraceOutput(data::Evlist& evlist, TraceOutputOptions options)
      : evlist_(evlist), options_(options), records_(evlist.order()) {}

  // Adds an event for samples of the trace recorded by `traced`: its attr with these fields. Returns its number.
  u32 add_event(u32 traced, std::string name, const abi::EventAttr& attr);
  const abi::EventAttr& attr(u32 event) const { return evlist_[event].attr; }

  data::Evlist& evlist() { return evlist_; }
  // For records built elsewhere.
  ByteWriter& records() { return records_; }

  // Sets the sample's id to its event's.
  void put(abi::Sample& sample, u32 event);
  void put_error(const TraceError& error);

  u64 samples() const { return samples_; }
  u64 errors() const { return errors_; }
  std::size_t waiting() const { return records_.size(); }
  // Passes on the records so far, then drops them.
  template <class Take>
  auto drain(Take take) {
    auto outcome = take(records_.bytes());
    records_.clear();
    return outcome;
  }

 private:
  data::Evlist& evlist_;
  TraceOutputOptions options_;
  ByteWriter records_;
  u64 samples_ = 0, errors_ = 0, made_ = 0;
  u64 next_id_ = 0;
};

}  // namespace peregrine
