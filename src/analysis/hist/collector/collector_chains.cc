// HistCollector's callchains: addresses → frames, with inlined functions → a path in the chain tree.
//
// Most samples repeat a chain, so three per-worker caches avoid the work: ChainMemo maps a whole chain to its node,
// RecentChains reuses the outer part of the last chain of a process, and `known` keeps the path of each frame. Whatever
// a cached result depends on must be in its key, so frames shown by exact address bypass `known`.
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "analysis/hist/chain/chain_memo.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/chain/recent_chains.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/collector/collector_worker.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

// In JIT-compiled code each unnamed frame is a separate function.
bool in_jitted_code(const Resolver& resolver, const HistFrame& frame) {
  return frame.dso != HistFrame::kNone &&
         resolver.machine().dsos().at(DsoId(frame.dso)).short_name.starts_with("[JIT]");
}

// Whether an unnamed caller is shown by its address in its dso, which is the same in every process.
bool is_relative(const Resolver& resolver, const Frame& frame) {
  return frame.dso && !frame.symbol && frame.kind == FrameKind::User &&
         resolver.machine().dsos().places().search.stripped_functions;
}

// Index of the user part of a callchain that starts in the kernel; the chain's size if it has no user part. 0 if the
// chain does not consist of a kernel part and an optional user part.
std::size_t user_part(std::span<const u64> chain) {
  if (chain.front() != abi::kContextKernel) return 0;
  const auto is_marker = [](u64 ip) { return ip >= abi::kContextMax; };
  const auto user = std::find_if(chain.begin() + 1, chain.end(), is_marker);
  if (user == chain.end()) return chain.size();
  if (*user != abi::kContextUser || std::any_of(user + 1, chain.end(), is_marker)) return 0;
  return static_cast<std::size_t>(user - chain.begin());
}

}  // namespace

bool HistCollector::tells_addresses(const Frame& frame) const {
  return request_.by_address || (!frame.symbol && request_.unknown_frames == UnknownFrames::ByAddress);
}

const HistCollector::Source& HistCollector::source_of(Worker& worker, Resolver& resolver, FrameId frame,
                                                      SourceTable::Place place) const {
  const std::size_t key = std::size_t{frame.value} * 2 + (place == SourceTable::Place::Return ? 1 : 0);
  if (key >= worker.source_of_frame.size())
    worker.source_of_frame.resize(std::max(resolver.frame_count() * 2, key + 1), HistFrameId::kNone);
  u32& known = worker.source_of_frame[key];
  if (known != HistFrameId::kNone) return worker.sources[known];
  const Frame& at = resolver.at(frame);
  Source source;
  source.line = request_.inlined ? request_.sources->functions(at, place, source.inlined, request_.chain_lines)
                                 : request_.sources->line(at, place);
  if (request_.chain_lines)
    source.line = request_.sources->shown_line(resolver, at, source.line, request_.chain_offsets);
  known = 0;
  if (!source.inlined.empty() || request_.chain_lines) {
    known = static_cast<u32>(worker.sources.size());
    worker.sources.push_back(std::move(source));
  }
  return worker.sources[known];
}

HistFrameId HistCollector::chain_frame(Worker& worker, Resolver& resolver, FrameId frame, u64 ip,
                                       SourceTextId line) const {
  const Frame& at = resolver.at(frame);
  if (at.symbol && !request_.by_address && !request_.leaf_lines && !line) return leaf_frame(worker, resolver, frame);
  HistFrame seen{.dso = at.dso ? at.dso.value : HistFrame::kNone, .line = line.value};
  // An unmapped address is one frame, whatever its level.
  if (at.dso) seen.level = frame_letter(at.kind);
  if (at.symbol) seen.symbol = at.symbol.value;
  if (tells_addresses(at)) seen.address = is_relative(resolver, at) ? at.address : ip;
  if (tells_addresses(at) && !at.symbol) seen.dso_address = at.address;
  return worker.hists.frames().intern(seen);
}

void HistCollector::make_path(Worker& worker, Resolver& resolver, FrameId frame, u64 ip, SourceTable::Place place,
                              std::vector<HistFrameId>& path) const {
  const Frame& at = resolver.at(frame);
  if (!at.dso || !(request_.inlined || request_.chain_lines)) {
    const bool says_unknown = !at.dso && request_.chain_lines;
    const SourceTextId line = says_unknown ? request_.sources->shown_line(resolver, at, {}) : SourceTextId();
    path.push_back(chain_frame(worker, resolver, frame, ip, line));
    return;
  }
  const Source& source = source_of(worker, resolver, frame, place);
  for (const InlinedFunction& function : source.inlined) {
    HistFrame seen{.dso = at.dso.value, .inlined = function.name.value, .level = frame_letter(at.kind)};
    if (at.symbol) seen.symbol = at.symbol.value;
    if (tells_addresses(at)) seen.address = ip;
    if (request_.chain_lines) seen.line = function.line.value;
    path.push_back(worker.hists.frames().intern(seen));
  }
  path.push_back(chain_frame(worker, resolver, frame, ip, request_.chain_lines ? source.line : SourceTextId()));
}

HistCollector::KnownFrame& HistCollector::known_frame(Worker& worker, Resolver& resolver, FrameId frame) const {
  if (frame.value >= worker.known.size())
    worker.known.resize(std::max<std::size_t>(resolver.frame_count() * 2, frame.value + 1));
  KnownFrame& known = worker.known[frame.value];
  if (!known.met) {
    const Frame& at = resolver.at(frame);
    known.met = true;
    known.kind = at.kind;
    known.tells_address = tells_addresses(at) && !is_relative(resolver, at);
  }
  return known;
}

void HistCollector::add_to_path(Worker& worker, Resolver& resolver, FrameId frame, u64 ip,
                                SourceTable::Place place) const {
  constexpr std::size_t kMost = 0xffff;
  KnownFrame& known = known_frame(worker, resolver, frame);
  const int at = place == SourceTable::Place::Return ? 1 : 0;
  if (known.tells_address) return make_path(worker, resolver, frame, ip, place, worker.path);
  if (known.count[at] == 0) {
    const std::size_t first = worker.known_frames.size();
    make_path(worker, resolver, frame, ip, place, worker.known_frames);
    known.first[at] = static_cast<u32>(first);
    known.count[at] = static_cast<u16>(std::min(worker.known_frames.size() - first, kMost));
  }
  const auto first = worker.known_frames.begin() + known.first[at];
  worker.path.insert(worker.path.end(), first, first + known.count[at]);
}

// The kernel part of a chain resolves identically in all processes. It is looked up below the node of the user part, so
// that a new process does not resolve kernel names again.
ChainId HistCollector::chain_of(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  const std::span<const u64> chain = sample.sample.callchain;
  if (chain.empty()) return kRootChain;
  const u64 kernel = sample.context.kernel.number;
  const u64 spaces = u64{sample.context.space.number} << 32 | kernel;
  // A truncated chain lacks its outermost frames, so it cannot share them with others.
  const bool whole = ignore_callees_ || (!sample.unwound && chain.size() > request_.max_stack);
  const std::size_t user = whole ? 0 : user_part(chain);
  if (user == 0) return part_of_chain(worker, sample, resolver, {chain, spaces, kRootChain, whole}, worker.chains);
  ChainId at = kRootChain;
  if (user < chain.size())
    at = part_of_chain(worker, sample, resolver, {chain.subspan(user), spaces, kRootChain}, worker.chains);
  const ChainPart below{chain.first(user), u64{at.value} << 32 | kernel, at};
  return part_of_chain(worker, sample, resolver, below, worker.kernel_chains);
}

ChainId HistCollector::part_of_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                                     const ChainPart& part, KnownChains& known) const {
  const ChainMemo::Key key = known.memo.key(part.context, part.addresses);
  ChainId id = known.memo.find(key);
  if (!id) {
    id = insert_chain(worker, sample, resolver, part, known.recent);
    known.memo.enter(key, id);
  }
  return id;
}

ChainId HistCollector::child(Worker& worker, Resolver& resolver, ChainId chain, HistFrameId frame) const {
  ChainTree& chains = worker.hists.chains();
  if (request_.unknown_frames == UnknownFrames::Joined && chain != kRootChain && chains.frame(chain) == frame) {
    const HistFrame& at = worker.hists.frames()[frame];
    const bool unknown = at.symbol == HistFrame::kNone && at.inlined == HistFrame::kNone;
    if (unknown && at.level == '.' && !in_jitted_code(resolver, at)) return chain;
  }
  return chains.child(chain, frame);
}

ChainId HistCollector::insert_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                                    const ChainPart& part, RecentChains& recent) const {
  const std::span<const u64> chain = part.addresses;
  worker.path.clear();
  if (part.whole) {
    add_callers(worker, sample, resolver, chain);
    return path_chain(worker, resolver);
  }
  const u64 context = part.context ^ (sample.unwound ? ~u64{0} : 0);
  const RecentChains::Shared shared = recent.find(context, chain, part.below);
  const std::span<const u64> own = chain.first(shared.from);
  add_callers(worker, sample, resolver, own);
  const auto addresses = std::ranges::count_if(own, [](u64 ip) { return ip < abi::kContextMax; });
  if (worker.frames.size() != static_cast<std::size_t>(addresses)) return kRootChain;  // unknown context marker
  ChainId at = shared.node;
  worker.nodes.clear();
  for (std::size_t i = own.size(), frame = worker.frames.size(), end = worker.path.size(); i-- > 0;) {
    if (own[i] < abi::kContextMax)
      for (const std::size_t first = worker.path_starts[--frame]; end > first;)
        at = child(worker, resolver, at, worker.path[--end]);
    worker.nodes.push_back(at);
  }
  recent.keep(context, chain, worker.nodes);
  return at;
}

void HistCollector::add_callers(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                                std::span<const u64> callchain) const {
  worker.frames.clear();
  worker.ips.clear();
  worker.path_starts.clear();
  // With outermost_first, max_stack keeps the outermost frames, so all of them must be resolved.
  const unsigned most = sample.unwound ? ~0u : request_.max_stack;
  const unsigned depth = request_.outermost_first ? ~0u : most;
  resolver.chain(sample.context, callchain, depth, worker.frames, &worker.ips);
  const std::size_t skipped = worker.frames.size() - std::min<std::size_t>(worker.frames.size(), most);
  const auto is_user = [&](std::size_t i) {
    return known_frame(worker, resolver, worker.frames[i]).kind == FrameKind::User;
  };
  bool from_user = skipped > 0 && is_user(skipped - 1);  // the preceding frame
  for (std::size_t i = skipped; i < worker.frames.size(); ++i) {
    worker.path_starts.push_back(worker.path.size());
    // Recorded chains hold return addresses, except for the innermost frame and the one that entered the kernel.
    const bool user = is_user(i);
    const bool enters = i == 0 || (user && !from_user);
    from_user = user;
    if (request_.filter.hide_unresolved && !resolver.at(worker.frames[i]).symbol) continue;
    const bool exact = enters || (user && sample.unwound);
    add_to_path(worker, resolver, worker.frames[i], worker.ips[i],
                exact ? SourceTable::Place::Exact : SourceTable::Place::Return);
  }
}

ChainId HistCollector::path_chain(Worker& worker, Resolver& resolver) const {
  if (ignore_callees_) {
    std::size_t from = worker.path.size();
    while (from > 0 && !matches(worker, resolver, worker.path[from - 1], *ignore_callees_, worker.callee_memo)) --from;
    if (from > 0) worker.path.erase(worker.path.begin(), worker.path.begin() + static_cast<std::ptrdiff_t>(from - 1));
  }
  ChainId at = kRootChain;
  for (std::size_t i = worker.path.size(); i-- > 0;) at = child(worker, resolver, at, worker.path[i]);
  return at;
}

}  // namespace peregrine
