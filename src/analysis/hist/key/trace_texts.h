// TraceTexts: maps the texts of tracepoint samples to numbers, so that a histogram can distinguish samples by them.
//
// Equal texts give equal numbers in all workers: each worker caches what it has seen, and uses the shared table, under
// a lock, only for new texts.
#pragma once
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/text/text_buffer.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class TraceTexts {
 public:
  // `reader` must outlive this. `raw`: print fields without the print formats.
  TraceTexts(const data::Reader& reader, bool raw) : reader_(reader), raw_(raw) {}
  // Call before each batch, since formats may arrive late. Broken formats are ignored.
  void begin_batch();

  // Per-worker cache.
  struct Memo {
    TextBuffer text;
    std::unordered_map<std::string, u32> known;
  };
  // "N/A" if the sample's event is not a tracepoint with a format.
  u32 find(const ReplaySample& sample, Resolver& resolver, Memo& memo);
  std::string_view text(u32 id) const { return texts_[id]; }

 private:
  u32 intern(std::string_view text);

  const data::Reader& reader_;
  std::optional<TraceFormats> formats_;
  bool raw_;
  std::mutex mutex_;  // guards the following
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, u32> ids_;
};

}  // namespace peregrine
