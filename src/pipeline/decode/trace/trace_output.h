// TraceOutput: where decoders of hardware traces put the samples that they make: records of events that the recording
// gets for that, in the byte order of the recording.
#pragma once
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "auxtrace/itrace.h"
#include "data/header/evlist.h"

namespace peregrine {

constexpr u64 kKernelStart = u64{1} << 63;                  // addresses from here on are the kernel's
constexpr std::size_t kMuchWaiting = std::size_t{1} << 20;  // bytes of samples that should be written first

// What went wrong in a trace, and where.
struct TraceError {
  u32 code = 0;
  u32 cpu = 0, pid = 0, tid = 0;
  u64 ip = 0, time = 0;
  std::string_view message;
};

struct TraceOutputOptions {
  bool facts = false;  // samples keep what only their decoder knows: abi::TraceFacts. Not for files
  u64 skip = 0;        // so many samples at the beginning are left out
};

// The attr that samples of an instruction trace have at least; `traced` of the event that recorded it.
abi::EventAttr trace_sample_attr(const abi::EventAttr& traced);

// Whether the letters b, c and r ask for a branch with these abi::branch_flag.
bool wants_branch(const ItraceOptions& options, u32 flags);

class TraceOutput {
 public:
  // Events are added to `evlist`, which outlives it.
  TraceOutput(data::Evlist& evlist, TraceOutputOptions options)
      : evlist_(evlist), options_(options), records_(evlist.order()) {}

  // An event for samples of a trace that the event `traced` recorded: its attr, with these fields in place. Its number.
  u32 add_event(u32 traced, std::string name, const abi::EventAttr& attr);
  const abi::EventAttr& attr(u32 event) const { return evlist_[event].attr; }

  data::Evlist& evlist() { return evlist_; }
  // Where a record that was made elsewhere goes.
  ByteWriter& records() { return records_; }

  // The sample's id is its event's.
  void put(abi::Sample& sample, u32 event);
  void put_error(const TraceError& error);

  u64 samples() const { return samples_; }
  u64 errors() const { return errors_; }
  std::size_t waiting() const { return records_.size(); }
  // The records so far; they are then forgotten.
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
