#include "analysis/hist/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "analysis/hist/row_table.h"

namespace peregrine {
namespace {

constexpr u64 kUnknownCpu = ~u64{0};

Result<std::optional<std::regex>> compile(const std::optional<std::string>& text, std::string_view option) {
  if (!text) return std::nullopt;
  try {
    return std::regex(*text, std::regex::extended | std::regex::nosubs);
  } catch (const std::regex_error& error) {
    return fail(ErrorKind::Usage, "Invalid regex: {}: {} {}", *text, option, error.what());
  }
}

}  // namespace

struct HistCollector::Source {
  std::vector<InlinedFunction> inlined;
  SourceTextId line;
};

struct HistCollector::Worker {
  Worker(std::size_t values, std::vector<bool> frame_values) : hists(values, std::move(frame_values)), group(values) {}

  Hists hists;
  ChainMemo memo;
  std::vector<u64> group;
  std::vector<u32> leaf_of_frame;        // by the resolver's FrameId
  std::vector<u32> source_of_frame;      // index in sources, by the resolver's FrameId and the place
  std::deque<Source> sources{Source()};  // the first: nothing is inlined, no line
  std::vector<FrameId> frames;
  std::vector<u64> ips;
  std::vector<HistFrameId> path;
  std::vector<signed char> parent_memo, callee_memo;  // by HistFrameId: -1 unknown, 0, 1
  std::vector<u32> parent_of_chain;                   // by ChainId
  HistFrameId no_parent;
  std::vector<std::pair<Moment, ThreadRead>> reads;
};

Result<std::unique_ptr<HistCollector>> HistCollector::make(CollectRequest request) {
  auto parent = compile(request.parent, "--parent");
  if (!parent) return std::unexpected(std::move(parent.error()));
  auto callees = compile(request.ignore_callees, "--ignore-callees");
  if (!callees) return std::unexpected(std::move(callees.error()));
  std::unique_ptr<HistCollector> collector(new HistCollector(std::move(request)));
  collector->parent_ = std::move(*parent);
  collector->ignore_callees_ = std::move(*callees);
  return collector;
}

HistCollector::HistCollector(CollectRequest request) : request_(std::move(request)) {}
HistCollector::~HistCollector() = default;

std::vector<bool> HistCollector::frame_values() const {
  std::vector<bool> result(group_width(request_.keys, request_.by_cpumode));
  for (const SortKey key : request_.keys)
    if (spec_of(key).source == KeySource::DataFrame)
      result[static_cast<std::size_t>(group_column(request_.keys, key))] = true;
  return result;
}

void HistCollector::begin(unsigned workers) {
  while (workers_.size() < workers) {
    workers_.push_back(std::make_unique<Worker>(group_width(request_.keys, request_.by_cpumode), frame_values()));
    Worker& worker = *workers_.back();
    worker.no_parent = worker.hists.frames().intern(HistFrame{});
  }
}

i32 HistCollector::socket_of(const abi::Sample& sample) const {
  const bool known = (sample.fields & abi::sample_bit::Cpu) != 0 && sample.cpu < request_.socket_of_cpu.size();
  return known ? request_.socket_of_cpu[sample.cpu] : -1;
}

bool HistCollector::refused(const ReplaySample& sample, Resolver& resolver, const Frame& frame) const {
  const HistFilter& filter = request_.filter;
  if (!filter.pids.empty() && !filter.pids.contains(sample.context.thread.pid)) return true;
  if (filter.socket && socket_of(sample.sample) != *filter.socket) return true;
  if (!filter.tids.empty() && !filter.tids.contains(sample.context.thread.tid)) return true;
  if (!filter.comms.empty() && !filter.comms.contains(std::string(resolver.comm(sample.context)))) return true;
  if (!filter.dsos.empty()) {
    if (!frame.dso) return true;
    const Dso& dso = resolver.machine().dsos().at(frame.dso);
    if (!filter.dsos.contains(dso.short_name) && !filter.dsos.contains(dso.name)) return true;
  }
  if (!filter.symbols.empty() && !filter.symbols.contains(std::string(resolver.symbol_name(frame)))) return true;
  return false;
}

HistFrameId HistCollector::leaf_frame(Worker& worker, Resolver& resolver, FrameId frame) const {
  if (frame.value >= worker.leaf_of_frame.size())
    worker.leaf_of_frame.resize(std::max<std::size_t>(resolver.frame_count(), frame.value + 1), HistFrameId::kNone);
  u32& known = worker.leaf_of_frame[frame.value];
  if (known == HistFrameId::kNone) {
    const Frame& at = resolver.at(frame);
    HistFrame seen{.dso = at.dso ? at.dso.value : HistFrame::kNone, .level = frame_letter(at.kind)};
    if (at.symbol)
      seen.symbol = at.symbol.value;
    else
      seen.address = seen.dso_address = at.address;
    if (request_.leaf_lines) seen.line = shown_line(resolver, at, request_.sources->line(at), false).value;
    known = worker.hists.frames().intern(seen).value;
  }
  return HistFrameId(known);
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
  if (request_.chain_lines) source.line = shown_line(resolver, at, source.line, request_.chain_offsets);
  known = 0;
  if (!source.inlined.empty() || request_.chain_lines) {
    known = static_cast<u32>(worker.sources.size());
    worker.sources.push_back(std::move(source));
  }
  return worker.sources[known];
}

// The line, or what linux-perf shows in its place.
SourceTextId HistCollector::shown_line(Resolver& resolver, const Frame& frame, SourceTextId known,
                                       bool offset_only) const {
  if (known) return known;
  SourceTable& sources = *request_.sources;
  if (!frame.dso) return sources.keep("??:0");
  if (!frame.symbol)
    return sources.keep(fmt::format("{}[{:x}]", resolver.machine().dsos().at(frame.dso).short_name, frame.address));
  const std::string_view name = offset_only ? std::string_view() : resolver.symbol_name(frame);
  return sources.keep(fmt::format("{}+{}", name, resolver.symbol_offset(frame)));
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
    worker.path.push_back(chain_frame(worker, resolver, frame, ip, {}));
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

bool HistCollector::matches(Worker& worker, Resolver& resolver, HistFrameId frame, const std::regex& pattern,
                            std::vector<signed char>& memo) const {
  if (frame.value >= memo.size()) memo.resize(frame.value + 1, -1);
  signed char& known = memo[frame.value];
  if (known < 0) {
    const HistFrame& at = worker.hists.frames()[frame];
    known = 0;
    if (at.symbol != HistFrame::kNone) {
      const std::string_view name =
          at.inlined != HistFrame::kNone
              ? request_.sources->text(SourceTextId(at.inlined))
              : resolver.symbol_name({.dso = DsoId(at.dso), .symbol = SymbolIndex(at.symbol)});
      known = std::regex_search(name.begin(), name.end(), pattern) ? 1 : 0;
    }
  }
  return known == 1;
}

ChainId HistCollector::insert_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  worker.frames.clear();
  worker.ips.clear();
  // From the outside in, the outermost frames are those that count.
  const unsigned most = sample.unwound ? ~0u : request_.max_stack;
  const unsigned depth = request_.outermost_first ? ~0u : most;
  resolver.chain(sample.context, sample.sample.callchain, depth, worker.frames, &worker.ips);
  const std::size_t skipped = worker.frames.size() - std::min<std::size_t>(worker.frames.size(), most);
  worker.path.clear();
  for (std::size_t i = skipped; i < worker.frames.size(); ++i) {
    if (request_.filter.hide_unresolved && !resolver.at(worker.frames[i]).symbol) continue;
    // Recorded chains hold return addresses, but for their innermost one and the one that entered the kernel.
    const bool user = resolver.at(worker.frames[i]).kind == FrameKind::User;
    const bool enters = i == 0 || (user && resolver.at(worker.frames[i - 1]).kind != FrameKind::User);
    const bool exact = enters || (user && sample.unwound);
    const std::size_t before = worker.path.size();
    add_to_path(worker, resolver, worker.frames[i], worker.ips[i],
                exact ? SourceTable::Place::Exact : SourceTable::Place::Return);
    if (!ignore_callees_) continue;
    for (std::size_t at = worker.path.size(); at-- > before;) {
      if (!matches(worker, resolver, worker.path[at], *ignore_callees_, worker.callee_memo)) continue;
      worker.path.erase(worker.path.begin(), worker.path.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
  }
  ChainTree& chains = worker.hists.chains();
  ChainId at = kRootChain;
  for (std::size_t i = worker.path.size(); i-- > 0;) at = chains.child(at, worker.path[i]);
  return at;
}

HistFrameId HistCollector::parent_of(Worker& worker, Resolver& resolver, ChainId chain) const {
  if (!parent_ || chain == kRootChain) return worker.no_parent;
  std::vector<u32>& memo = worker.parent_of_chain;
  if (chain.value >= memo.size()) memo.resize(worker.hists.chains().size(), HistFrameId::kNone);
  u32& known = memo[chain.value];
  if (known == HistFrameId::kNone) {
    known = worker.no_parent.value;
    for (ChainId at = chain; at != kRootChain; at = worker.hists.chains().parent(at)) {
      const HistFrameId frame = worker.hists.chains().frame(at);
      if (!matches(worker, resolver, frame, *parent_, worker.parent_memo)) continue;
      known = frame.value;
      if (!request_.outermost_first) break;
    }
  }
  return HistFrameId(known);
}

void HistCollector::fill_group(Worker& worker, const ReplaySample& sample, Resolver& resolver, ChainId chain) const {
  std::vector<u64>& values = worker.group;
  values[0] = sample.event;
  std::size_t at = 1;
  const abi::Sample& raw = sample.sample;
  const bool has_cpu = (raw.fields & abi::sample_bit::Cpu) != 0;
  for (const SortKey key : request_.keys) {
    if (spec_of(key).source == KeySource::Frame) continue;
    u64 value = 0;
    switch (key) {
      case SortKey::Pid:
        value = sample.context.thread.tid;
        break;
      case SortKey::Comm:
        value = sample.context.thread.comm.value;
        break;
      case SortKey::Parent:
        value = parent_of(worker, resolver, chain).value;
        break;
      case SortKey::Cpu:
        value = has_cpu ? raw.cpu : kUnknownCpu;
        break;
      case SortKey::Socket:
        value = static_cast<u64>(i64{socket_of(raw)});
        break;
      case SortKey::LocalWeight:
      case SortKey::Weight:
        value = raw.weight;
        break;
      case SortKey::Time:
        value = raw.time / request_.time_quantum * request_.time_quantum;
        break;
      case SortKey::Address:
        value = raw.ip;
        break;
      case SortKey::SymbolDaddr:
      case SortKey::DsoDaddr:
        value = leaf_frame(worker, resolver, resolver.frame(sample.context, raw.addr, raw.cpumode())).value;
        break;
      case SortKey::Dso:
      case SortKey::Symbol:
      case SortKey::SourceLine:
      case SortKey::SourceFile:
        break;
    }
    values[at++] = value;
  }
  if (request_.by_cpumode) values[at] = raw.cpumode();
}

void HistCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker_index) {
  if (request_.event_switch.discards(sample.event)) return;
  Worker& worker = *workers_[worker_index];
  const FrameId hit = resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
  const Frame& frame = resolver.at(hit);
  if (request_.filter.hide_unresolved && !frame.symbol) return;

  const bool has_chain = !sample.sample.callchain.empty();
  EventTotals& totals = worker.hists.totals(sample.event);
  ++totals.samples;
  totals.period += sample.period;
  if (has_chain) totals.chain_period += sample.period;
  if (refused(sample, resolver, frame)) return;

  HistFrameId leaf = leaf_frame(worker, resolver, hit);
  ChainId chain = request_.chains || parent_ ? chain_of(worker, sample, resolver) : kRootChain;
  if (ignore_callees_ && chain != kRootChain) {
    const HistFrameId innermost = worker.hists.chains().frame(chain);
    if (matches(worker, resolver, innermost, *ignore_callees_, worker.callee_memo)) leaf = innermost;
  }
  fill_group(worker, sample, resolver, chain);
  if (request_.filter.exclude_other && parent_ && parent_of(worker, resolver, chain) == worker.no_parent) return;
  if (!request_.chains) chain = kRootChain;
  if (request_.leaf_chains && chain == kRootChain) chain = worker.hists.chains().child(kRootChain, leaf);

  ++totals.shown_samples;
  totals.shown_period += sample.period;
  if (has_chain) totals.shown_chain_period += sample.period;
  worker.hists.add({.group = worker.hists.groups().intern(worker.group),
                    .leaf = leaf,
                    .chain = chain,
                    .period = sample.period,
                    .ordinal = static_cast<u32>(std::min<Moment>(sample.moment, 0xffffffffu)),
                    .thread = sample.context.thread.thread.value});
}

void HistCollector::side_band(const ReplaySideBand& record, Resolver&, unsigned worker) {
  if (record.side_band == nullptr) return;
  const auto* read = std::get_if<abi::ReadRecord>(&record.side_band->body);
  if (read == nullptr || read->values.values.empty()) return;
  workers_[worker]->reads.emplace_back(record.moment,
                                       ThreadRead{read->pid, read->tid, record.event, read->values.values[0].value});
}

std::vector<ThreadRead> HistCollector::thread_reads() const {
  std::vector<std::pair<Moment, ThreadRead>> all;
  for (const auto& worker : workers_) all.insert(all.end(), worker->reads.begin(), worker->reads.end());
  std::ranges::sort(all, {}, [](const auto& read) { return read.first; });
  std::vector<ThreadRead> result;
  for (const auto& [moment, read] : all) result.push_back(read);
  return result;
}

Hists HistCollector::finish() {
  if (workers_.empty()) return Hists(group_width(request_.keys, request_.by_cpumode));
  Hists whole = std::move(workers_[0]->hists);
  workers_[0].reset();
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    workers_[i]->memo = ChainMemo();
    whole.merge(std::move(workers_[i]->hists));
    workers_[i].reset();
  }
  workers_.clear();
  whole.freeze();
  return whole;
}

}  // namespace peregrine
