#include "pipeline/decode/trace/recorded_samples.h"

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

bool can_be_written(const abi::EventAttr& attr) {
  constexpr u64 kOthers =
      bit::Read | bit::Callchain | bit::RegsUser | bit::StackUser | bit::RegsIntr | bit::Aux | bit::BranchStack;
  return attr.samples(bit::Ip) && attr.samples(bit::Tid) && (attr.sample_type & kOthers) == 0;
}

}  // namespace

RecordedSamples::RecordedSamples(data::Evlist& evlist, u32 traced, u32 callers, bool wanted)
    : evlist_(evlist), callers_(callers) {
  for (u32 event = 0; event < evlist.size(); ++event) {
    changed_.push_back(wanted && event != traced && can_be_written(evlist[event].attr));
    if (changed_.back()) evlist[event].attr.sample_type |= bit::Callchain;
  }
}

bool RecordedSamples::edit(const abi::RecordView& record, const CallStack& calls, ByteWriter& out) {
  const u32 event = evlist_.event_of(record);
  if (event >= changed_.size() || !changed_[event]) return false;
  if (!evlist_.decoder(event).decode(record, sample_, scratch_)) return false;
  calls.chain(sample_.tid, sample_.ip, callers_, chain_);
  sample_.callchain = chain_;
  abi::encode_sample(sample_, evlist_[event].attr, out);
  return true;
}

}  // namespace peregrine
