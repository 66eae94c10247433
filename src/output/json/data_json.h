// DataJson: a recording as one JSON document, in the layout of linux-perf's `data convert --to-json`: the facts of its
// header, and each sample with its callchain; and with its event, and the fields of tracepoints, which that leaves out.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "output/sink.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// For a replay of one worker.
class DataJson : public ReplaySink {
 public:
  // The names of the reader's events as far as they are known; called before each batch.
  using EventNames = std::function<std::vector<std::string>()>;
  // Writes the header at once. Reader and sink outlive this.
  DataJson(const data::Reader& reader, EventNames event_names, Sink& out);

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void finish();
  u64 samples() const { return samples_; }

 private:
  void put_header(const data::Header& header);
  void put_text(std::string_view key, const std::optional<std::string>& value);
  void put_event(const ReplaySample& sample);
  void put_frame(Resolver& resolver, u64 address, const Frame& frame);

  const data::Reader& reader_;
  Sink& out_;
  std::optional<TraceFormats> formats_;
  EventNames event_names_;
  std::vector<std::string> names_;  // of events, escaped
  u64 samples_ = 0;
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
};

}  // namespace peregrine
