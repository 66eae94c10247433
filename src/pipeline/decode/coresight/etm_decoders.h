// EtmDecoders: the decoders that the queues of a CoreSight recording share: one for frames, and one of each trace unit
// whose trace comes without frames. Each is large, and there may be many queues.
//
// A queue decodes a part from begin() to end() before another one does. One worker.
#pragma once
#include <map>

#include "pipeline/decode/coresight/coresight_facts.h"

namespace peregrine {

class EtmDecoders final : private auxtrace::EtmSink {
 public:
  // `facts` outlives it.
  explicit EtmDecoders(const CoreSightFacts& facts) : facts_(facts) {}

  // The one for a part, which from now on tells `sink`. Errors: those of EtmDecoder::open().
  Result<auxtrace::EtmDecoder*> choose(bool formatted, u32 cpu, auxtrace::EtmSink& sink);
  // Why the last decoder that could not be opened could not; such a unit is not tried again.
  const std::optional<Error>& refused() const { return refused_; }

 private:
  static constexpr u32 kFrames = ~u32{0};

  void range(u8 trace_id, const auxtrace::EtmRange& range) override { sink_->range(trace_id, range); }
  void exception(u8 trace_id, u32 number) override { sink_->exception(trace_id, number); }
  void gap(u8 trace_id) override { sink_->gap(trace_id); }
  void context(u8 trace_id, u32 context) override { sink_->context(trace_id, context); }
  std::size_t read_code(u8 trace_id, u64 address, std::span<std::byte> out) override {
    return sink_->read_code(trace_id, address, out);
  }

  const CoreSightFacts& facts_;
  auxtrace::EtmSink* sink_ = nullptr;
  std::map<u32, std::unique_ptr<auxtrace::EtmDecoder>> by_unit_;  // and of frames; null: refused
  std::optional<Error> refused_;
};

}  // namespace peregrine
