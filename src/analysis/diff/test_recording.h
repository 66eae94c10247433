// A recording for tests of diff: given numbers of samples in functions of binaries.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {

// Dsos and symbols are strings; the index in the pool determines the symbol's address, so that two builds differ.
class PlainNames : public Naming {
 public:
  explicit PlainNames(std::string_view first) { words_.intern(first); }
  HistFrame frame(std::string_view dso, std::string_view symbol) {
    HistFrame frame{.dso = words_.intern(dso).value};
    if (symbol.starts_with("0x"))
      frame.address = frame.dso_address = std::stoull(std::string(symbol), nullptr, 16);
    else
      frame.symbol = words_.intern(symbol).value;
    return frame;
  }
  std::string_view dso(u32 id) override { return words_.view(StringId(id)); }
  // A name such as "app+0x100" gives the place in the function.
  SymbolName symbol(u32, u32 id) override {
    const std::string_view name = words_.view(StringId(id));
    const std::size_t place = name.find("+0x");
    const u64 start =
        place == std::string_view::npos ? id * u64{16} : std::stoull(std::string(name.substr(place + 1)), nullptr, 16);
    return {name, start, start + 16};
  }
  std::string text(SortKey, u64) override { return comm; }

  std::string comm;  // every thread's command

 private:
  StringPool words_;
};

// One recording, as numbers of samples per function.
struct DiffedRecording {
  explicit DiffedRecording(std::string_view name) : words(name) {}
  void add(std::string_view symbol, u64 samples, std::string_view dso = "app") {
    const u64 event = 0;
    for (u64 i = 0; i < samples; ++i)
      hists.add({.group = hists.groups().intern(std::span(&event, 1)),
                 .leaf = hists.frames().intern(words.frame(dso, symbol)),
                 .period = 10});
    hists.totals(0).samples += samples;
    hists.totals(0).period += samples * 10;
  }
  const RowTable& table() {
    faces.emplace(hists.frames(), words, FaceKeys{.dso = true, .symbol = true});
    made.emplace(hists, *faces, words, RowRequest{.columns = *parse_columns({.default_sort = "dso,symbol"})});
    return *made;
  }
  PlainNames words;
  Hists hists{1};
  std::optional<FaceTable> faces;
  std::optional<RowTable> made;
};

}  // namespace peregrine
