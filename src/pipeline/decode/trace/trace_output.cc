#include "pipeline/decode/trace/trace_output.h"

#include <cstddef>
#include <utility>

#include "abi/attr.h"
#include "abi/branch_flag.h"
#include "abi/record_rows.h"
#include "base/types.h"

namespace peregrine {

abi::EventAttr trace_sample_attr(const abi::EventAttr& traced) {
  namespace bit = abi::sample_bit;
  namespace flag = abi::attr_flag;
  constexpr u64 kKept = flag::ExcludeUser | flag::ExcludeKernel | flag::ExcludeHv | flag::ExcludeHost |
                        flag::ExcludeGuest | flag::SampleIdAll;
  abi::EventAttr attr;
  attr.size = abi::kAttrSizeWritten;
  attr.sample_type = (traced.sample_type & (bit::Id | bit::StreamId | bit::Identifier)) | bit::Ip | bit::Tid;
  attr.read_format = traced.read_format;
  attr.flags = traced.flags & kKept;
  attr.sample_period = 1;
  return attr;
}

bool wants_branch(const ItraceOptions& options, u32 flags) {
  namespace flag = abi::branch_flag;
  u32 wanted = 0;
  if (options.calls) wanted |= flag::Call | flag::Async | flag::TraceEnd;
  if (options.returns) wanted |= flag::Return | flag::TraceBegin;
  return wanted == 0 || (flags & wanted) != 0;
}

u32 TraceOutput::add_event(u32 traced, std::string name, const abi::EventAttr& attr) {
  constexpr u64 kBehind = 1'000'000'000;  // the distance that linux-perf uses for ids of synthesized events
  data::Event event;
  event.attr = attr;
  event.name = std::move(name);
  if (next_id_ == 0) next_id_ = (evlist_[traced].ids.empty() ? 0 : evlist_[traced].ids.front()) + kBehind;
  event.ids = {next_id_++};
  if (options_.facts) event.attr.sample_type |= abi::sample_bit::Traced;
  return evlist_.add(std::move(event));
}

void TraceOutput::put(abi::Sample& sample, u32 event) {
  if (made_++ < options_.skip) return;
  const data::Event& its = evlist_[event];
  sample.id = its.ids.empty() ? 0 : its.ids.front();
  sample.stream_id = sample.id;
  abi::encode_sample(sample, its.attr, records_);
  ++samples_;
}

// The layout of linux-perf's struct perf_record_auxtrace_error, format 1 (with a time).
void TraceOutput::put_error(const TraceError& error) {
  constexpr std::size_t kMessage = 64;
  constexpr u32 kInstructionTrace = 1, kWithTime = 1;
  const std::size_t start = records_.size();
  records_.put32(static_cast<u32>(abi::RecordType::AuxtraceError)).put16(0).put16(0);
  records_.put32(kInstructionTrace).put32(error.code).put32(error.cpu).put32(error.pid).put32(error.tid);
  records_.put32(kWithTime).put64(error.ip).put64(error.time);
  const std::string_view text = error.message.substr(0, kMessage - 1);
  records_.append(text).zeros(kMessage - text.size()).put32(0).put32(0);
  records_.patch(start + 6, static_cast<u16>(records_.size() - start));
  ++errors_;
}

}  // namespace peregrine
