// TraceFields: tracepoint fields as sort keys: resolves "next_comm", "switch.next_pid/raw" and "trace_fields" for one
// recording, and maps each sample's value to a number for groups.
//
// A key is one field of one event; for samples of other events its value is 0. Values are distinguished by the record's
// bytes; equal bytes give equal numbers in all workers. Numbers are shown as the print format does ("prev_state=R") if
// it names the field, texts always as recorded. Set up before the replay, which only calls value().
#pragma once
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/field/sample_field.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/sort_key.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class TraceFields : public DynamicKeys {
 public:
  // `names`: of the events. `raw`: show all fields unformatted, as with "/raw".
  TraceFields(const data::Evlist& evlist, std::vector<std::string> names, TraceFormats formats, bool raw);

  std::vector<SortKey> find(std::string_view word) override;
  std::vector<FieldColumn> columns() const override;

  // Per-worker cache.
  struct Memo {
    std::string bytes, text;
    std::unordered_map<std::string, u32> known;
  };
  // `index`: of the key among the dynamic ones.
  u32 value(std::size_t index, const ReplaySample& sample, Resolver& resolver, Memo& memo);
  std::string_view text(u32 id) const { return texts_[id].text; }
  // Sort order of values, largest first, as in linux-perf: the bytes of the record.
  std::string_view order(u32 id) const { return texts_[id].bytes; }

 private:
  struct Key {
    u32 event = 0;
    const TraceField* field = nullptr;
    bool raw = false;
    SampleField shown;
    FieldColumn column;
  };
  struct Text {
    std::string bytes, text;
  };
  void add(std::vector<SortKey>& to, u32 event, const TraceField& field, bool raw);
  void show(const Key& key, const ReplaySample& sample, Resolver& resolver, std::string& out) const;
  u32 intern(const Key& key, const ReplaySample& sample, Resolver& resolver, Memo& memo);

  const data::Evlist& evlist_;
  std::vector<std::string> names_;
  TraceFormats formats_;
  bool raw_;
  std::vector<Key> keys_;
  std::mutex mutex_;  // guards the following
  std::deque<Text> texts_{Text()};
  std::unordered_map<std::string, u32> ids_;
};

}  // namespace peregrine
