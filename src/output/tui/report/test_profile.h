// A small profile for the tests of views:
//
//   bash   main → run → work      60        cat   main → copy   30
//          main → run → idle      10
//
// `copy` and `idle` are in libc, the others in prog.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/browse/hist_queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "output/tui/screen/settings.h"

namespace peregrine::tui {

class BrowserWords : public Naming {
 public:
  HistFrame frame(std::string_view text) {
    const std::size_t colon = text.find(':');
    return {.dso = words_.intern(text.substr(0, colon)).value, .symbol = words_.intern(text.substr(colon + 1)).value};
  }
  u64 word(std::string_view text) { return words_.intern(text).value; }
  std::string_view dso(u32 id) override { return words_.view(StringId(id)); }
  SymbolName symbol(u32, u32 id) override { return {words_.view(StringId(id)), id * u64{16}, id * u64{16} + 16}; }
  std::string text(SortKey key, u64 value) override {
    if (key == SortKey::Pid) return value == 11 ? "bash" : "cat";
    return std::string(words_.view(StringId(static_cast<u32>(value))));
  }

 private:
  StringPool words_;
};

struct Profile {
  Profile() {
    add("bash", 11, {"prog:main", "prog:run", "prog:work"}, 60);
    add("bash", 11, {"prog:main", "prog:run", "libc:idle"}, 10);
    add("cat", 12, {"prog:main", "libc:copy"}, 30);
    queries.show(hists);
    queries.set_activity([](std::size_t parts) {
      std::vector<u64> sums(parts, 1);
      sums[parts / 2] = 8;
      return sums;
    });
  }
  static BrowseOptions options() {
    ColumnRequest request{.children = true};
    return {.columns = *parse_columns(request),
            .keys = {SortKey::Comm, SortKey::Dso, SortKey::Symbol, SortKey::Pid},
            .tables = {{0}},
            .names = {"cpu-clock"},
            .children = true,
            .graphs = true,
            .graph = {.order = ChainOrder::Caller}};
  }
  void add(std::string_view comm, u64 tid, const std::vector<std::string_view>& chain, u64 period) {
    const u64 values[] = {0, words.word(comm), tid};
    std::vector<HistFrameId> frames;
    for (const std::string_view each : chain) frames.push_back(hists.frames().intern(words.frame(each)));
    hists.add({.group = hists.groups().intern(values),
               .leaf = frames.back(),
               .chain = hists.chains().insert(frames),
               .period = period,
               .ordinal = ordinal++});
    hists.totals(0).period += period;
    hists.totals(0).chain_period += period;
    ++hists.totals(0).samples;
  }

  BrowserWords words;
  Hists hists{3};
  u32 ordinal = 0;
  HistQueries queries{options(), words};
  ReportSettings settings;
};

}  // namespace peregrine::tui
