#include "analysis/hist/collector/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/collector/collector_worker.h"
#include "analysis/hist/collector/place_frames.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/idle_function.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

Result<std::optional<Pattern>> compile(const std::optional<std::string>& text, std::string_view option) {
  if (!text) return std::nullopt;
  auto pattern = Pattern::compile(*text);
  if (pattern) return std::move(*pattern);
  pattern.error().message = fmt::format("{}: {}", option, pattern.error().message);
  return std::unexpected(std::move(pattern.error()));
}

bool is_idle(Resolver& resolver, const Frame& frame) {
  const bool kernel = frame.kind == FrameKind::Kernel || frame.kind == FrameKind::GuestKernel;
  return kernel && frame.symbol && is_idle_function(resolver.symbol_name(frame));
}

}  // namespace

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

HistCollector::HistCollector(CollectRequest request)
    : request_(std::move(request)),
      needs_parallelism_(!request_.filter.parallelisms.empty() || needs_of(request_.keys).has(KeyNeed::Parallelism)),
      needs_hit_(request_.by_leaf || request_.branches || request_.blocks || request_.filter.hide_unresolved ||
                 request_.filter.hide_idle || !request_.filter.dsos.empty() || !request_.filter.symbols.empty()) {
  if (!needs_of(request_.keys).has(KeyNeed::DataTypes)) request_.data_types = nullptr;
}
HistCollector::~HistCollector() = default;

std::vector<bool> HistCollector::frame_values() const {
  std::vector<bool> result(group_width(request_.keys, request_.tail));
  for (const SortKey key : request_.keys)
    if (key->source == KeySource::DataFrame) result[static_cast<std::size_t>(group_column(request_.keys, key))] = true;
  return result;
}

void HistCollector::begin(unsigned workers) {
  for (ReplaySink* sink : request_.also) sink->begin(workers);
  while (workers_.size() < workers) {
    workers_.push_back(
        std::make_unique<Worker>(group_width(request_.keys, request_.tail), frame_values(),
                                 PlaceFrames(request_.sources, request_.branch_lines, request_.branch_addresses)));
    Worker& worker = *workers_.back();
    worker.no_parent = worker.hists.frames().intern(HistFrame{});
  }
}

void HistCollector::begin_batch() {
  if (request_.traces != nullptr) request_.traces->begin_batch();
}

FrameId HistCollector::hit_frame(const ReplaySample& sample, Resolver& resolver) {
  return resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
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
    else if (request_.unknown_frames == UnknownFrames::ByAddress)
      seen.address = seen.dso_address = at.address;
    if (request_.leaf_lines) seen.line = request_.sources->shown_line(resolver, at).value;
    known = worker.hists.frames().intern(seen).value;
  }
  return HistFrameId(known);
}

bool HistCollector::matches(Worker& worker, Resolver& resolver, HistFrameId frame, const Pattern& pattern,
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
      known = pattern.matches(name) ? 1 : 0;
    }
  }
  return known == 1;
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
  worker.group[0] = sample.event;
  std::size_t at = 1;
  Facts facts(*this, worker, sample, resolver, chain);
  for (const SortKey key : request_.keys)
    if (key->source != KeySource::Frame) worker.group[at++] = key->value(facts);
  if (request_.tail == GroupTail::Cpumode) worker.group[at] = sample.sample.cpumode();
  if (request_.tail == GroupTail::Process) worker.group[at] = sample.context.thread.pid;
}

void HistCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker_index) {
  if (request_.event_switch.discards(sample.event)) return;
  Worker& worker = *workers_[worker_index];
  if (needs_parallelism_) {
    worker.parallelism = worker.running.parallelism(sample.context.thread.tid);
    const auto& wanted = request_.filter.parallelisms;
    if (!wanted.empty() && !wanted.contains(static_cast<u32>(worker.parallelism))) return;
  }
  const FrameId hit = needs_hit_ ? hit_frame(sample, resolver) : FrameId();
  if (request_.filter.hide_unresolved && !resolver.at(hit).symbol) return;
  if (request_.filter.hide_idle && is_idle(resolver, resolver.at(hit))) return;
  if (request_.blocks)
    count_blocks(worker, sample, resolver);
  else if (request_.branches)
    count_branches(worker, sample, resolver);
  else if (count_sample(worker, sample, resolver, hit))
    for (ReplaySink* sink : request_.also) sink->sample(sample, resolver, worker_index);
}

bool HistCollector::count_sample(Worker& worker, const ReplaySample& sample, Resolver& resolver, FrameId hit) const {
  const bool has_chain = !sample.sample.callchain.empty() || (request_.histories && !sample.sample.branches.empty());
  const u64 period = request_.by_weight ? std::max<u64>(sample.sample.weight, 1) : sample.period;
  EventTotals& totals = worker.hists.totals(sample.event);
  ++totals.samples;
  totals.period += period;
  if (has_chain) totals.chain_period += period;
  if (refused(sample, resolver, hit ? resolver.at(hit) : Frame())) return false;

  HistFrameId leaf = hit ? leaf_frame(worker, resolver, hit) : worker.no_parent;
  ChainId chain = kRootChain;
  if (request_.histories)
    chain = history_chain(worker, sample, resolver);
  else if (request_.chains || parent_)
    chain = chain_of(worker, sample, resolver);
  if (ignore_callees_ && chain != kRootChain) {
    const HistFrameId innermost = worker.hists.chains().frame(chain);
    if (matches(worker, resolver, innermost, *ignore_callees_, worker.callee_memo)) leaf = innermost;
  }
  fill_group(worker, sample, resolver, chain);
  if (request_.data_types != nullptr)
    ++worker.unknown_types[static_cast<std::size_t>(data_type(worker, sample, resolver).why)];
  if (request_.filter.exclude_other && parent_ && parent_of(worker, resolver, chain) == worker.no_parent) return false;
  if (!request_.chains) chain = kRootChain;
  if (request_.leaf_chains && chain == kRootChain) {
    if (!hit) leaf = leaf_frame(worker, resolver, hit_frame(sample, resolver));
    chain = worker.hists.chains().child(kRootChain, leaf);
  }
  if (!request_.by_leaf) leaf = worker.no_parent;
  if (has_chain) totals.shown_chain_period += period;
  add_hit(worker, sample, leaf, chain, period);
  if (request_.histories && chain != kRootChain)
    worker.hists.add_branches(worker.hists.groups().intern(worker.group).value, leaf.value, chain.value,
                              worker.branch_sums);
  return true;
}

void HistCollector::add_hit(Worker& worker, const ReplaySample& sample, HistFrameId leaf, ChainId chain,
                            u64 period) const {
  EventTotals& totals = worker.hists.totals(sample.event);
  ++totals.shown_samples;
  totals.shown_period += period;
  GroupTable& groups = worker.hists.groups();
  const GroupId group = request_.appends_groups ? groups.append(worker.group) : groups.intern(worker.group);
  const Hists::Hit one{.group = group,
                       .leaf = leaf,
                       .chain = chain,
                       .period = period,
                       .ordinal = static_cast<u32>(std::min<Moment>(sample.moment, 0xffffffffu)),
                       .thread = sample.context.thread.thread.value};
  if (request_.appends) return worker.hists.append(one);
  worker.hists.add_soon(one);
  if (request_.kept_samples == 0) return;
  const bool has_cpu = (sample.sample.fields & abi::sample_bit::Cpu) != 0;
  worker.hists.keep(group.value, leaf.value, chain.value,
                    {.time = sample.sample.time,
                     .ordinal = sample.moment,
                     .pid = sample.context.thread.pid,
                     .tid = sample.context.thread.tid,
                     .cpu = has_cpu ? static_cast<i32>(sample.sample.cpu) : -1},
                    request_.kept_samples);
}

void HistCollector::side_band(const ReplaySideBand& record, Resolver&, unsigned worker) {
  if (record.side_band == nullptr) return;
  workers_[worker]->running.apply(*record.side_band);
  workers_[worker]->names.apply(*record.side_band, record.moment);
  const auto* read = std::get_if<abi::ReadRecord>(&record.side_band->body);
  if (read == nullptr || read->values.values.empty()) return;
  workers_[worker]->reads.emplace_back(record.moment,
                                       ThreadRead{read->pid, read->tid, record.event, read->values.values[0].value});
}

FrameDataTypes::Answer HistCollector::data_type(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  if (request_.data_types == nullptr) return {};
  return worker.data_types.find(*request_.data_types, resolver, hit_frame(sample, resolver));
}

UnknownTypeCounts HistCollector::unknown_types() const {
  UnknownTypeCounts all{};
  for (const auto& worker : workers_)
    for (std::size_t why = 1; why < all.size(); ++why) all[why] += worker->unknown_types[why];
  return all;
}

std::vector<ThreadRead> HistCollector::thread_reads() const {
  std::vector<std::pair<Moment, ThreadRead>> all;
  for (const auto& worker : workers_) all.insert(all.end(), worker->reads.begin(), worker->reads.end());
  std::ranges::sort(all, {}, [](const auto& read) { return read.first; });
  std::vector<ThreadRead> result;
  for (const auto& [moment, read] : all) result.push_back(read);
  return result;
}

RecordedNames HistCollector::recorded_names() const {
  RecordedNames all = names_;
  for (const auto& worker : workers_) all.merge(worker->names);
  return all;
}

Hists HistCollector::finish() {
  if (workers_.empty()) return Hists(group_width(request_.keys, request_.tail), frame_values());
  names_ = recorded_names();
  for (const auto& worker : workers_) worker->hists.settle();
  Hists whole = std::move(workers_[0]->hists);
  workers_[0].reset();
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    workers_[i]->chains = workers_[i]->kernel_chains = KnownChains();
    whole.merge(std::move(workers_[i]->hists));
    workers_[i].reset();
  }
  workers_.clear();
  whole.freeze();
  return whole;
}

Hists HistCollector::look() const {
  Hists whole(group_width(request_.keys, request_.tail), frame_values());
  for (const auto& worker : workers_) worker->hists.settle();
  if (!workers_.empty()) whole = workers_[0]->hists;
  for (std::size_t i = 1; i < workers_.size(); ++i) whole.merge(workers_[i]->hists);
  return whole;
}

Hists HistCollector::take() {
  const auto count = static_cast<unsigned>(workers_.size());
  Hists taken = finish();
  begin(count);
  return taken;
}

}  // namespace peregrine
