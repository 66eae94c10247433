// DataJson: a recording as one JSON document, in the layout of linux-perf's `data convert --to-json`: header data, and
// each sample with its callchain; plus its event and tracepoint fields, which linux-perf omits.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/concurrency/slice_queue.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "output/json/json_document.h"
#include "output/sink.h"
#include "output/text/dump/feature_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Writes the values of the features as members: `"hostname": "here"`.
void put_features(const data::Features& features, JsonDocument& json,
                  std::span<const FeatureText> texts = feature_texts());

// Workers render slices in parallel; a SliceQueue writes them in order.
class DataJson : public ReplaySink {
 public:
  // Returns the names of the events known so far; called before each batch.
  using EventNames = std::function<std::vector<std::string>()>;
  // Writes the header at once. `reader` and `out` must outlive this.
  DataJson(const data::Reader& reader, EventNames event_names, Sink& out);

  void begin(unsigned workers) override { workers_.resize(workers); }
  void begin_batch() override;
  void begin_slice(u64 slice, unsigned worker) override { workers_[worker].text = slices_.begin(slice); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void end_slice(u64 slice, unsigned worker) override;
  bool end_batch() override { return out_.ok(); }
  void finish();
  u64 samples() const { return samples_; }

 private:
  struct SliceText {
    Sink text;  // every sample with a comma before it
    u64 samples = 0;
    void clear() {
      text.clear();
      samples = 0;
    }
  };
  struct Worker {
    std::unique_ptr<SliceText> text;
    std::vector<FrameId> frames;
    std::vector<u64> addresses;
    std::string fields;
    // What follows a frame's address, made once for each symbol.
    std::unordered_map<u64, u32> known;  // by dso and symbol: index in `names`
    std::deque<std::string> names;
    std::vector<u32> name_of_frame;  // by FrameId; kNotKnown if it was not met yet
  };
  static constexpr u32 kNotKnown = 0xffffffffu;
  void put_header(const data::Header& header);
  void put_event(JsonDocument& json, const ReplaySample& sample, Worker& worker) const;
  static std::string_view name_of(Worker& worker, Resolver& resolver, FrameId frame);
  static void put_frame(JsonDocument& json, Worker& worker, Resolver& resolver, u64 address, FrameId frame);

  const data::Reader& reader_;
  Sink& out_;
  JsonDocument json_;
  std::optional<TraceFormats> formats_;
  EventNames event_names_;
  std::vector<std::string> names_;  // by event, escaped
  std::vector<Worker> workers_;
  SliceQueue<SliceText> slices_;
  u64 samples_ = 0;
};

}  // namespace peregrine
