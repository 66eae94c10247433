// SourceCache: known source lines and inlined functions of one dso, kept in a file by build-id. The next run then
// needs no debug information for addresses that were looked up before.
//
// One of KeptFiles: an invalid file counts as absent, and every index in it is checked. Answers for a build-id never
// change, so a file only grows. Answers are decoded one by one, because a run needs few of them. Not thread safe.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/kept_files.h"

namespace peregrine {

class SourceCache {
 public:
  // One function at an address, as in SourceFrame. `path` is empty if the line is unknown.
  struct Frame {
    std::string_view function;
    std::string_view path;
    u32 line = 0;
  };

  // Returns an empty cache if there is no valid file.
  static SourceCache load(const KeptFiles& kept, const BuildId& id);
  static std::optional<SourceCache> decode(std::string file);
  std::string encode() const;

  // Returns the frames at an address, innermost first; without `functions`, only the first one's line counts. Returns
  // nothing if the address was never looked up in this way. The texts are valid as long as the cache.
  std::optional<std::vector<Frame>> find(u64 address, bool functions) const;
  // Borrows the texts until the cache is destroyed.
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
  // Reads from the loaded file.
  Place loaded(std::size_t at) const;
  std::optional<Place> find_loaded(u64 address) const;
  std::optional<std::vector<Frame>> loaded_frames(const Place& place) const;

  std::string file_;  // loaded file: texts, frames from byte frames_at_ on, then places
  std::vector<std::string_view> texts_;
  std::size_t frames_at_ = 0, frame_count_ = 0, place_count_ = 0;
  std::vector<Frame> frames_;  // of the added places
  std::unordered_map<u64, Place> added_;
  bool changed_ = false;
};

}  // namespace peregrine
