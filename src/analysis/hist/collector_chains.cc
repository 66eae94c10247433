// The callchains of HistCollector: addresses → frames with the functions inlined at them → a path in the tree.
#include <algorithm>

#include "analysis/hist/collector_worker.h"

namespace peregrine {

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
  if (!at.symbol || request_.by_address) seen.address = ip;
  if (!at.symbol) seen.dso_address = at.address;
  return worker.hists.frames().intern(seen);
}

void HistCollector::add_to_path(Worker& worker, Resolver& resolver, FrameId frame, u64 ip,
                                SourceTable::Place place) const {
  const Frame& at = resolver.at(frame);
  if (!at.dso || !(request_.inlined || request_.chain_lines)) {
    const bool says_unknown = !at.dso && request_.chain_lines;
    const SourceTextId line = says_unknown ? request_.sources->shown_line(resolver, at, {}) : SourceTextId();
    worker.path.push_back(chain_frame(worker, resolver, frame, ip, line));
    return;
  }
  const Source& source = source_of(worker, resolver, frame, place);
  for (const InlinedFunction& function : source.inlined) {
    HistFrame seen{.dso = at.dso.value, .inlined = function.name.value, .level = frame_letter(at.kind)};
    if (at.symbol) seen.symbol = at.symbol.value;
    if (!at.symbol || request_.by_address) seen.address = ip;
    if (request_.chain_lines) seen.line = function.line.value;
    worker.path.push_back(worker.hists.frames().intern(seen));
  }
  worker.path.push_back(chain_frame(worker, resolver, frame, ip, request_.chain_lines ? source.line : SourceTextId()));
}

ChainId HistCollector::chain_of(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  const std::span<const u64> chain = sample.sample.callchain;
  if (chain.empty()) return kRootChain;
  const u64 context = u64{sample.context.space.number} << 32 | sample.context.kernel.number;
  const ChainMemo::Key key = worker.memo.key(context, chain);
  ChainId id = worker.memo.find(key);
  if (!id) {
    id = insert_chain(worker, sample, resolver);
    worker.memo.enter(key, id);
  }
  return id;
}

ChainId HistCollector::insert_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  worker.path.clear();
  add_callers(worker, sample, resolver, sample.sample.callchain);
  return path_chain(worker, resolver);
}

void HistCollector::add_callers(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                                std::span<const u64> callchain) const {
  worker.frames.clear();
  worker.ips.clear();
  // From the outside in, the outermost frames are those that count.
  const unsigned most = sample.unwound ? ~0u : request_.max_stack;
  const unsigned depth = request_.outermost_first ? ~0u : most;
  resolver.chain(sample.context, callchain, depth, worker.frames, &worker.ips);
  const std::size_t skipped = worker.frames.size() - std::min<std::size_t>(worker.frames.size(), most);
  for (std::size_t i = skipped; i < worker.frames.size(); ++i) {
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
  ChainTree& chains = worker.hists.chains();
  ChainId at = kRootChain;
  for (std::size_t i = worker.path.size(); i-- > 0;) at = chains.child(at, worker.path[i]);
  return at;
}

}  // namespace peregrine
