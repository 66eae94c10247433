#include "pipeline/trace_dat/recording_samples.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <unordered_map>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "capture/synthesis/record_encoder.h"

namespace peregrine {
namespace {

constexpr std::size_t kRound = std::size_t{1} << 20;  // bytes
// The rest of a record: its fixed fields.
constexpr std::size_t kMostRaw = 0xf000, kMostChain = 256;

class SampleWriter {
 public:
  SampleWriter(const RingEventFields& fields, const data::Evlist& evlist, UnpackBudget& budget,
               data::CopyWriter& writer)
      : fields_(fields), evlist_(evlist), budget_(budget), writer_(writer), out_(evlist.order()) {
    for (u32 event = 0; event < evlist.size(); ++event) by_id_.emplace(evlist[event].attr.config, event);
  }

  Result<> add(const TraceEvent& event) {
    const auto found = by_id_.find(fields_.id(event.data));
    if (found == by_id_.end()) return {};
    const data::Event& tracepoint = evlist_[found->second];
    const Loss loss{.time = event.time, .cpu = event.cpu, .tid = fields_.tid(event.data)};
    if (event.lost) put_lost(loss, *event.lost, tracepoint);
    if (event.data.size() > kMostRaw)
      put_lost(loss, 1, tracepoint);
    else
      put_sample(event, tracepoint);
    return out_.size() >= kRound ? end_round() : Result<>();
  }
  void add_trailing(const TrailingLoss& loss) {
    if (!evlist_.empty()) put_lost({.time = loss.time, .cpu = loss.cpu}, loss.lost, evlist_[0]);
  }
  Result<> end_round() {
    RecordEncoder(out_, abi::RecordType::FinishedRound, 0).end();
    PEREGRINE_TRY(budget_.add_bytes(out_.size()));
    PEREGRINE_TRY(budget_.check_space(2 * kRound));
    PEREGRINE_TRY(writer_.append(out_.bytes()));
    out_.clear();
    return {};
  }

 private:
  struct Loss {
    u64 time = 0;
    u32 cpu = 0, tid = 0;
  };
  // An unknown number, 0, is at least one.
  void put_lost(const Loss& loss, u64 count, const data::Event& tracepoint) {
    abi::SampleId id{.fields = tracepoint.attr.sample_type, .time = loss.time, .id = tracepoint.ids.front()};
    id.cpu = loss.cpu;
    id.pid = id.tid = loss.tid;
    RecordEncoder record(out_, abi::RecordType::Lost, 0);
    record.body().put64(id.id).put64(std::max<u64>(count, 1));
    abi::encode_sample_id(id, tracepoint.attr, record.body());
    record.end();
  }
  void put_sample(const TraceEvent& event, const data::Event& tracepoint) {
    abi::Sample sample{.fields = tracepoint.attr.sample_type, .misc = abi::misc_bit::Kernel};
    sample.pid = sample.tid = fields_.tid(event.data);
    sample.time = event.time;
    sample.id = tracepoint.ids.front();
    sample.cpu = event.cpu;
    sample.period = 1;
    sample.raw = event.data;
    if (tracepoint.attr.samples(abi::sample_bit::Callchain)) {
      take_chain(event, sample.ip);
      sample.callchain = chain_;
    }
    abi::encode_sample(sample, tracepoint.attr, out_);
  }
  // An event of the function tracer has two frames even without a stack.
  void take_chain(const TraceEvent& event, u64& ip) {
    chain_.clear();
    u64 parent = 0;
    const u64 function = fields_.function(event.data, parent);
    const auto add = [&](u64 marker, const std::vector<u64>& frames) {
      if (frames.empty()) return;
      chain_.push_back(marker);
      chain_.insert(chain_.end(), frames.begin(),
                    frames.begin() + static_cast<std::ptrdiff_t>(std::min(frames.size(), kMostChain)));
    };
    ip = function != 0 ? function : !event.kernel->empty() ? event.kernel->front() : 0;
    add(abi::kContextKernel, *event.kernel);
    if (event.kernel->empty() && function != 0) {
      chain_ = {abi::kContextKernel, function};
      if (parent != 0) chain_.push_back(parent);
    }
    add(abi::kContextUser, *event.user);
  }

  const RingEventFields& fields_;
  const data::Evlist& evlist_;
  UnpackBudget& budget_;
  data::CopyWriter& writer_;
  ByteWriter out_;
  std::unordered_map<u64, u32> by_id_;
  std::vector<u64> chain_;
};

}  // namespace

Result<> write_samples(TraceEvents& events, const RingEventFields& fields, const data::Evlist& evlist,
                       UnpackBudget& budget, data::CopyWriter& writer) {
  SampleWriter samples(fields, evlist, budget, writer);
  TraceEvent event;
  for (;;) {
    const auto more = events.next(event);
    if (!more) return std::unexpected(more.error());
    for (const TrailingLoss& loss : events.take_losses(*more ? event.time : ~u64{0})) samples.add_trailing(loss);
    if (!*more) return samples.end_round();
    PEREGRINE_TRY(samples.add(event));
  }
}

}  // namespace peregrine
