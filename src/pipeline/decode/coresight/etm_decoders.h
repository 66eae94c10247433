// EtmDecoders: decoders shared by the queues of a CoreSight recording: one for frames, and one per trace unit with
// unformatted data. Decoders are large, and there may be many queues.
//
// A queue must decode a part from begin() to end() before another one starts. One worker.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "auxtrace/coresight/etm_decoder.h"
#include "base/result.h"
#include "base/types.h"
#include "pipeline/decode/coresight/coresight_facts.h"

namespace peregrine {

class EtmDecoders final : private auxtrace::EtmSink {
 public:
  // `facts` must outlive this.
  explicit EtmDecoders(const CoreSightFacts& facts) : facts_(facts) {}

  // The decoder for a part; directs its output to `sink`. Errors: those of EtmDecoder::open().
  Result<auxtrace::EtmDecoder*> choose(bool formatted, u32 cpu, auxtrace::EtmSink& sink);
  // Why the last decoder failed to open; such units are not retried.
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
  std::map<u32, std::unique_ptr<auxtrace::EtmDecoder>> by_unit_;  // and for frames; null: failed to open
  std::optional<Error> refused_;
};

}  // namespace peregrine
