// WordProfile: a Hists of samples given as text, and the Naming that returns the text.
//
//   profile.add({.values = {comm}, .chain = {"sh:main", "libc.so:malloc"}, .period = 3})     outermost frame first
//
// "dso:function" is a resolved frame, "dso:0x40" an address in the dso without a symbol, and "0x40" an address outside
// all maps. For tests of code that shows a Hists.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine::support {

class WordNaming : public Naming {
 public:
  static constexpr u64 kSymbolSize = 16;  // unless set_extent() sets another one

  // The id of a text, for values of text keys, lines and names of inlined functions.
  u32 id(std::string_view text) { return words_.intern(text).value; }
  HistFrame frame(std::string_view text) {
    const std::size_t colon = text.find(':');
    HistFrame made;
    if (colon != std::string_view::npos) made.dso = id(text.substr(0, colon));
    const std::string_view place = colon == std::string_view::npos ? text : text.substr(colon + 1);
    if (place.starts_with("0x"))
      std::from_chars(place.data() + 2, place.data() + place.size(), made.address, 16);
    else
      made.symbol = id(place);
    return made;
  }
  void set_extent(std::string_view symbol, u64 start, u64 end) { extents_[id(symbol)] = {start, end}; }
  void set_dso_size(std::string_view dso, u64 size) { sizes_[id(dso)] = size; }

  std::string_view dso(u32 id) override { return words_.view(StringId(id)); }
  u64 dso_size(u32 id) override {
    const auto found = sizes_.find(id);
    return found == sizes_.end() ? 0 : found->second;
  }
  SymbolName symbol(u32, u32 id) override {
    const auto [at, fresh] = extents_.try_emplace(id, id * kSymbolSize, (id + 1) * kSymbolSize);
    return {words_.view(StringId(id)), at->second.first, at->second.second};
  }
  std::string_view source(u32 id) override { return words_.view(StringId(id)); }
  // The comm of thread 7 is "thread-7"; all other values are ids of texts.
  std::string text(SortKey key, u64 value) override {
    if (key->kind == KeyKind::Thread) return fmt::format("thread-{}", value);
    return std::string(words_.view(StringId(static_cast<u32>(value))));
  }

 private:
  StringPool words_;
  std::map<u32, std::pair<u64, u64>> extents_;  // by symbol: its start and end
  std::map<u32, u64> sizes_;                    // by dso
};

struct WordSample {
  u32 event = 0;
  std::vector<u64> values = {};              // the group's, after the event
  std::vector<std::string_view> chain = {};  // outermost frame first
  std::string_view leaf = {};                // the sampled place, unless it equals the innermost frame of the chain
  u64 period = 1;
  u32 thread = 0;
  char level = '.';  // of the sampled place
};

class WordProfile {
 public:
  // `values`: of each group, without the event.
  explicit WordProfile(std::size_t values, std::vector<bool> frame_values = {})
      : hists(values + 1, std::move(frame_values)) {}

  HistFrameId intern(std::string_view frame) { return hists.frames().intern(words.frame(frame)); }
  Hists::Hit add(const WordSample& sample) {
    std::vector<u64> group{sample.event};
    group.insert(group.end(), sample.values.begin(), sample.values.end());
    std::vector<HistFrameId> chain;
    for (const std::string_view frame : sample.chain) chain.push_back(intern(frame));
    HistFrame leaf = words.frame(sample.leaf.empty() ? sample.chain.back() : sample.leaf);
    leaf.level = sample.level;
    const Hists::Hit hit{.group = hists.groups().intern(group),
                         .leaf = hists.frames().intern(leaf),
                         .chain = hists.chains().insert(chain),
                         .period = sample.period,
                         .ordinal = ordinal_++,
                         .thread = sample.thread};
    hists.add(hit);
    EventTotals& totals = hists.totals(sample.event);
    ++totals.samples;
    totals.period += sample.period;
    if (!sample.chain.empty()) totals.chain_period += sample.period;
    return hit;
  }

  WordNaming words;
  Hists hists;

 private:
  u32 ordinal_ = 0;
};

}  // namespace peregrine::support
