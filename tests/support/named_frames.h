// NamedFrames: creates frames of a Hists by name, for tests of code that prints them.
//
//   NamedFrames frames;
//   const HistFrameId work = frames.function("work");      of the dso "prog", 16 bytes long
//   const FaceTable faces = frames.faces();                after the last frame
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine::support {

class NamedFrames : public Naming {
 public:
  HistFrameId function(std::string_view name, std::string_view line = {}) {
    return table_.intern({.dso = 0, .symbol = word(name), .line = line.empty() ? HistFrame::kNone : word(line)});
  }
  HistFrameId inlined(std::string_view name, std::string_view into, std::string_view line = {}) {
    return table_.intern(
        {.dso = 0, .symbol = word(into), .inlined = word(name), .line = line.empty() ? HistFrame::kNone : word(line)});
  }
  // Outside all maps.
  HistFrameId address(u64 address) { return table_.intern({.address = address}); }
  FaceTable faces() { return FaceTable(table_, *this, {.dso = true, .symbol = true, .line = true}); }

  std::string_view dso(u32) override { return "prog"; }
  SymbolName symbol(u32, u32 id) override { return {words_.view(StringId(id)), id * u64{16}, id * u64{16} + 16}; }
  std::string_view source(u32 id) override { return words_.view(StringId(id)); }
  std::string text(SortKey, u64) override { return {}; }

 private:
  u32 word(std::string_view text) { return words_.intern(text).value; }

  StringPool words_;
  HistFrameTable table_;
};

}  // namespace peregrine::support
