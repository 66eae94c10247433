// SourceCache: answers about the source lines and inlined functions of one dso, kept in a file by its build-id, so that
// the next run neither opens nor decodes debug information for the addresses it asks about again.
//
// One of KeptFiles: what does not decode is as good as absent, and every index in it is checked. Answers of one
// build-id never change, so a file only grows. It is decoded answer by answer: a run asks for few of them. Not thread
// safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machine/dso/kept_files.h"

namespace peregrine {

class SourceCache {
 public:
  // One function at an address, as SourceFrame has it; `path` is empty where the line is unknown.
  struct Frame {
    std::string_view function;
    std::string_view path;
    u32 line = 0;
  };

  // An empty one when there is no such file, or none that is whole.
  static SourceCache load(const KeptFiles& kept, const BuildId& id);
  static std::optional<SourceCache> decode(std::string file);
  std::string encode() const;

  // The frames at an address, innermost first; without `functions` the first one's line alone counts. Nothing when the
  // address was not asked about in that way before. Texts are borrowed until the cache ends.
  std::optional<std::vector<Frame>> find(u64 address, bool functions) const;
  // Texts are borrowed until the cache ends.
  void add(u64 address, bool functions, std::span<const Frame> frames);
  bool changed() const { return changed_; }

  Result<> save(const KeptFiles& kept, const BuildId& id) const;

 private:
  struct Place {
    u64 address = 0;
    u32 first = 0;
    u16 count = 0;
    u16 functions = 0;
  };
  // Of what was loaded.
  Place loaded(std::size_t at) const;
  std::optional<Place> find_loaded(u64 address) const;
  std::optional<std::vector<Frame>> loaded_frames(const Place& place) const;

  std::string file_;  // what was loaded: its texts lie here, frames from byte frames_at_ on, places behind them
  std::vector<std::string_view> texts_;
  std::size_t frames_at_ = 0, frame_count_ = 0, place_count_ = 0;
  std::vector<Frame> frames_;  // of the places that were added
  std::unordered_map<u64, Place> added_;
  bool changed_ = false;
};

}  // namespace peregrine
