#include "pipeline/live/live_machine.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/record_walk.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "capture/target/target.h"
#include "event/config/record_config.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "pipeline/recording/synthesis.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

LiveMachine::LiveMachine(SymbolPlaces places, const abi::EventAttr& attr)
    : attr_(attr),
      machine_(std::move(places)),
      tables_(machine_.dsos()),
      resolver_(machine_),
      stacks_(machine_, tables_) {
  machine_.set_jit_clock({.monotonic = true});
  machine_.forget_exited_threads();
}

void LiveMachine::learn_opening(const Root& root, HitStream& stream, const Target& target,
                                std::optional<Pid> workload) {
  const SynthesisRequest synthesis;
  RecordConfig config;
  config.fields.addresses = attr_.has(abi::attr_flag::MmapData);
  const OpeningRequest request{.target = target,
                               .events = stream.events(),
                               .recorder = stream.recorder(),
                               .synthesis = synthesis,
                               .config = config};
  ByteWriter records;
  synthesize_opening(root, request, records);
  if (workload) synthesize_held_workload(root, request, *workload, records);
  Bytes rest = records.bytes();
  while (const auto record = abi::first_record(rest)) {
    apply(*record, learnt_);
    rest = rest.subspan(record->bytes.size());
  }
  machine_.set_applied_until(learnt_ + 1);
  tables_.grow();
}

void LiveMachine::add(std::vector<SideBandHit> records) {
  const auto waiting = static_cast<std::ptrdiff_t>(waiting_.size());
  std::move(records.begin(), records.end(), std::back_inserter(waiting_));
  std::ranges::inplace_merge(waiting_, waiting_.begin() + waiting, {}, &SideBandHit::time);
}

void LiveMachine::learn_until(u64 time) {
  machine_.forget_before(learnt_);
  for (; !waiting_.empty() && waiting_.front().time < time; waiting_.pop_front()) {
    // A record that arrives late takes effect now: applied moments never go backwards.
    learnt_ = std::max(learnt_, waiting_.front().time);
    machine_.apply_jit(learnt_, learnt_);
    if (const auto record = abi::first_record(waiting_.front().record)) apply(*record, learnt_);
  }
  learnt_ = std::max(learnt_, time);
  machine_.set_applied_until(learnt_);
  tables_.grow();
}

void LiveMachine::apply(const abi::RecordView& record, Moment moment) {
  if (record.type >= abi::RecordType::UserTypeStart) return;
  const auto decoded = abi::decode_side_band(record, attr_, scratch_);
  if (decoded && *decoded) machine_.apply(**decoded, moment);
}

}  // namespace peregrine
