#include "analysis/diff/build_pairing.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"
#include "base/types.h"
#include "symbol/table/function_extent.h"

namespace peregrine {
namespace {

constexpr std::size_t kCommSize = 15;  // length to which the kernel truncates a comm

struct PairedBinary {
  u64 period = 0;
  std::set<std::string_view> functions;  // sampled function names
  std::set<std::string> builds;          // recorded build-ids
};
using Binaries = std::map<std::string_view, PairedBinary>;

// By name. Skips dsos without a file, such as [vdso] and [kernel.kallsyms], because their names match in any two
// recordings.
Binaries binaries_of(const PairingSide& side) {
  std::vector<u64> periods(side.hists.frames().size());
  for (const HistEntry& entry : side.hists.entries()) periods[entry.leaf] += entry.period;
  Binaries result;
  for (u32 frame = 0; frame < periods.size(); ++frame) {
    const FrameLook& look = side.faces.look(HistFrameId(frame));
    const std::string_view name = side.faces.text(look.dso);
    if (periods[frame] == 0 || !look.mapped || name.starts_with('[')) continue;
    PairedBinary& binary = result[name];
    binary.period += periods[frame];
    const std::string_view function = look.symbol.valid() ? side.faces.text(look.symbol) : std::string_view();
    if (!function.empty() && !is_unnamed_function(function, look.start)) binary.functions.insert(function);
    if (std::string id = side.build_id(side.hists.frames()[HistFrameId(frame)].dso); !id.empty())
      binary.builds.insert(std::move(id));
  }
  return result;
}

bool other_build(const PairedBinary& was, const PairedBinary& is) {
  return !was.builds.empty() && !is.builds.empty() && was.builds != is.builds;
}

// Strips directory, version and suffix: "/usr/lib/libz.so.1.2.13" → "libz", "sort-old" → "sort".
std::string_view stem(std::string_view name) {
  name.remove_prefix(std::min(name.rfind('/') + 1, name.size()));
  return name.substr(0, name.find_first_of("-_.+@~0123456789"));
}

bool alike(std::string_view a, std::string_view b) { return !stem(a).empty() && stem(a) == stem(b); }

std::size_t shared_functions(const PairedBinary& a, const PairedBinary& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a.functions, [&](std::string_view name) { return b.functions.contains(name); }));
}

struct Candidate {
  std::size_t shared = 0;
  bool alike = false;
  u64 period = 0;
  std::string_view was, is;
};

// Two binaries are builds of one program if they share half of the smaller set of function names. Similar file names
// lower that to one shared function, or to none if one of them has no function names.
bool same_program(const Candidate& candidate, const PairedBinary& was, const PairedBinary& is) {
  const std::size_t fewer = std::min(was.functions.size(), is.functions.size());
  if (fewer == 0) return candidate.alike;
  return candidate.shared > 0 && (candidate.alike || 2 * candidate.shared >= fewer);
}

// Best match first.
std::vector<Candidate> renamed_candidates(const Binaries& before, const Binaries& after) {
  const auto in_both = [&](const auto& item) { return before.contains(item.first) && after.contains(item.first); };
  std::vector<Candidate> candidates;
  for (const auto& old_build : before) {
    if (in_both(old_build)) continue;
    for (const auto& new_build : after) {
      if (in_both(new_build)) continue;
      const Candidate candidate{.shared = shared_functions(old_build.second, new_build.second),
                                .alike = alike(old_build.first, new_build.first),
                                .period = old_build.second.period + new_build.second.period,
                                .was = old_build.first,
                                .is = new_build.first};
      if (same_program(candidate, old_build.second, new_build.second)) candidates.push_back(candidate);
    }
  }
  std::ranges::stable_sort(candidates, std::greater(), [](const Candidate& candidate) {
    return std::tuple(candidate.shared, candidate.alike, candidate.period);
  });
  return candidates;
}

bool names_program(std::string_view comm, std::string_view binary) {
  binary.remove_prefix(std::min(binary.rfind('/') + 1, binary.size()));
  return comm == binary.substr(0, kCommSize);
}

}  // namespace

std::vector<BuildPair> pair_builds(const PairingSide& baseline, const PairingSide& other) {
  const Binaries before = binaries_of(baseline), after = binaries_of(other);
  std::vector<BuildPair> pairs;
  for (const auto& [name, binary] : before)
    if (const auto same = after.find(name); same != after.end() && other_build(binary, same->second))
      pairs.push_back({std::string(name), std::string(name)});
  for (const Candidate& candidate : renamed_candidates(before, after)) {
    const auto taken = [&](const BuildPair& pair) { return pair.was == candidate.was || pair.is == candidate.is; };
    if (std::ranges::none_of(pairs, taken)) pairs.push_back({std::string(candidate.was), std::string(candidate.is)});
  }
  std::ranges::stable_sort(pairs, std::greater(), [&](const BuildPair& pair) { return before.at(pair.was).period; });
  return pairs;
}

std::string_view PairedNaming::dso(u32 dso) {
  const std::string_view name = own_.dso(dso);
  const auto found = std::ranges::find(pairs_, name, &BuildPair::is);
  return found == pairs_.end() ? name : std::string_view(found->was);
}

std::string PairedNaming::text(SortKey key, u64 value) {
  std::string own = own_.text(key, value);
  if (key != SortKey::Comm && key != SortKey::Process && key != SortKey::Pid) return own;
  for (const BuildPair& pair : pairs_) {
    if (!names_program(own, pair.is)) continue;
    const std::string_view name(pair.was);
    return std::string(name.substr(std::min(name.rfind('/') + 1, name.size()), kCommSize));
  }
  return own;
}

}  // namespace peregrine
