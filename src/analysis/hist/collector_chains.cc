// The callchains of HistCollector: addresses → frames with the functions inlined at them → a path in the tree.
#include <algorithm>

#include "abi/record.h"
#include "analysis/hist/collector_worker.h"

namespace peregrine {

namespace {

// There each frame is a function, though nobody knows its name.
bool in_jitted_code(const Resolver& resolver, const HistFrame& frame) {
  return frame.dso != HistFrame::kNone &&
         resolver.machine().dsos().at(DsoId(frame.dso)).short_name.starts_with("[JIT]");
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
  source.line =
      request_.inlined ? request_.sources->functions(at, place, source.inlined) : request_.sources->line(at, place);
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
  // One address in no map is one frame, whoever calls it.
  if (at.dso) seen.level = frame_letter(at.kind);
  if (at.symbol) seen.symbol = at.symbol.value;
  if (tells_addresses(at)) seen.address = ip;
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

void HistCollector::add_to_path(Worker& worker, Resolver& resolver, FrameId frame, u64 ip,
                                SourceTable::Place place) const {
  if (tells_addresses(resolver.at(frame))) return make_path(worker, resolver, frame, ip, place, worker.path);
  const std::size_t key = std::size_t{frame.value} * 2 + (place == SourceTable::Place::Return ? 1 : 0);
  if (key >= worker.known_paths.size()) worker.known_paths.resize(std::max(resolver.frame_count() * 2, key + 1));
  Worker::KnownPath& known = worker.known_paths[key];
  if (known.count == 0) {
    known.first = static_cast<u32>(worker.known_frames.size());
    make_path(worker, resolver, frame, ip, place, worker.known_frames);
    known.count = static_cast<u32>(worker.known_frames.size()) - known.first;
  }
  const auto first = worker.known_frames.begin() + known.first;
  worker.path.insert(worker.path.end(), first, first + known.count);
}

ChainId HistCollector::chain_of(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  const std::span<const u64> chain = sample.sample.callchain;
  if (chain.empty()) return kRootChain;
  const u64 context = u64{sample.context.space.number} << 32 | sample.context.kernel.number;
  const ChainMemo::Key key = worker.memo.key(context, chain);
  ChainId id = worker.memo.find(key);
  if (!id) {
    id = insert_chain(worker, sample, resolver, context ^ (sample.unwound ? ~u64{0} : 0));
    worker.memo.enter(key, id);
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

ChainId HistCollector::insert_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver, u64 context) const {
  const std::span<const u64> chain = sample.sample.callchain;
  worker.path.clear();
  // A chain that is cut shares its outermost frames with no other.
  if (ignore_callees_ || (!sample.unwound && chain.size() > request_.max_stack)) {
    add_callers(worker, sample, resolver, chain);
    return path_chain(worker, resolver);
  }
  const RecentChains::Shared shared = worker.recent.find(context, chain);
  const std::span<const u64> own = chain.first(shared.from);
  add_callers(worker, sample, resolver, own);
  const auto addresses = std::ranges::count_if(own, [](u64 ip) { return ip < abi::kContextMax; });
  if (worker.frames.size() != static_cast<std::size_t>(addresses)) return kRootChain;  // an unknown marker
  ChainId at = shared.node;
  worker.nodes.clear();
  for (std::size_t i = own.size(), frame = worker.frames.size(), end = worker.path.size(); i-- > 0;) {
    if (own[i] < abi::kContextMax)
      for (const std::size_t first = worker.path_starts[--frame]; end > first;)
        at = child(worker, resolver, at, worker.path[--end]);
    worker.nodes.push_back(at);
  }
  worker.recent.keep(context, chain, worker.nodes);
  return at;
}

void HistCollector::add_callers(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                                std::span<const u64> callchain) const {
  worker.frames.clear();
  worker.ips.clear();
  worker.path_starts.clear();
  // From the outside in, the outermost frames are those that count.
  const unsigned most = sample.unwound ? ~0u : request_.max_stack;
  const unsigned depth = request_.outermost_first ? ~0u : most;
  resolver.chain(sample.context, callchain, depth, worker.frames, &worker.ips);
  const std::size_t skipped = worker.frames.size() - std::min<std::size_t>(worker.frames.size(), most);
  for (std::size_t i = skipped; i < worker.frames.size(); ++i) {
    worker.path_starts.push_back(worker.path.size());
    if (request_.filter.hide_unresolved && !resolver.at(worker.frames[i]).symbol) continue;
    // Recorded chains hold return addresses, but for their innermost one and the one that entered the kernel.
    const bool user = resolver.at(worker.frames[i]).kind == FrameKind::User;
    const bool enters = i == 0 || (user && resolver.at(worker.frames[i - 1]).kind != FrameKind::User);
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
