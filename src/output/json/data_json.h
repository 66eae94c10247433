// DataJson: a recording as one JSON document, in the layout of linux-perf's `data convert --to-json`: header data, and
// each sample with its callchain; plus its event and tracepoint fields, which linux-perf omits.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "output/text/dump/feature_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Appends the values of the features: `,\n\t\t"hostname": "here"`.
void put_features(const data::Features& features, Sink& out, std::span<const FeatureText> texts = feature_texts());

// For a replay with one worker.
class DataJson : public ReplaySink {
 public:
  // Returns the names of the events known so far; called before each batch.
  using EventNames = std::function<std::vector<std::string>()>;
  // Writes the header at once. `reader` and `out` must outlive this.
  DataJson(const data::Reader& reader, EventNames event_names, Sink& out);

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void finish();
  u64 samples() const { return samples_; }

 private:
  void put_header(const data::Header& header);
  void put_event(const ReplaySample& sample);
  void put_frame(Resolver& resolver, u64 address, const Frame& frame);

  const data::Reader& reader_;
  Sink& out_;
  std::optional<TraceFormats> formats_;
  EventNames event_names_;
  std::vector<std::string> names_;  // by event, escaped
  u64 samples_ = 0;
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
};

}  // namespace peregrine
