// DataJson: a recording as one JSON document, in the layout of linux-perf's `data convert --to-json`: the facts of its
// header, and each sample with its callchain.
#pragma once
#include <vector>

#include "data/reader.h"
#include "output/sink.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// For a replay of one worker.
class DataJson : public ReplaySink {
 public:
  // Writes the header at once. Both outlive this.
  DataJson(const data::Reader& reader, Sink& out);

  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void finish();
  u64 samples() const { return samples_; }

 private:
  void put_header(const data::Header& header);
  void put_text(std::string_view key, const std::optional<std::string>& value);
  void put_frame(Resolver& resolver, u64 address, const Frame& frame);

  Sink& out_;
  u64 samples_ = 0;
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
};

}  // namespace peregrine
