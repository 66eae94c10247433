// TraceTexts: the texts of tracepoint samples as numbers, so that a histogram can tell samples apart by them.
//
// Equal texts are equal numbers, whatever worker asks: each worker remembers what it has seen, and only for a new text
// looks into the common table, under a lock.
#pragma once
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class TraceTexts {
 public:
  // `reader` outlives it. `raw`: fields as they are, without print formats.
  TraceTexts(const data::Reader& reader, bool raw) : reader_(reader), raw_(raw) {}
  // To be called before each batch: the recording may explain itself late. Broken formats explain nothing.
  void begin_batch();

  // What one worker keeps between samples.
  struct Memo {
    TextBuffer text;
    std::unordered_map<std::string, u32> known;
  };
  // "N/A" for what is no tracepoint that the recording explains.
  u32 find(const ReplaySample& sample, Resolver& resolver, Memo& memo);
  std::string_view text(u32 id) const { return texts_[id]; }

 private:
  u32 intern(std::string_view text);

  const data::Reader& reader_;
  std::optional<TraceFormats> formats_;
  bool raw_;
  std::mutex mutex_;  // guards what follows
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, u32> ids_;
};

}  // namespace peregrine
