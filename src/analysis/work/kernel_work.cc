#include "analysis/work/kernel_work.h"

#include <fmt/format.h>

#include <bitset>
#include <cstddef>
#include <utility>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "analysis/field/chain_names.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/print/print_names.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

struct Meaning {
  WorkKind kind;
  WorkStep step;
};
constexpr Meaning kMeanings[] = {
    {WorkKind::Irq, WorkStep::Entry},       {WorkKind::Irq, WorkStep::Exit},
    {WorkKind::Softirq, WorkStep::Raise},   {WorkKind::Softirq, WorkStep::Entry},
    {WorkKind::Softirq, WorkStep::Exit},    {WorkKind::Workqueue, WorkStep::Raise},
    {WorkKind::Workqueue, WorkStep::Entry}, {WorkKind::Workqueue, WorkStep::Exit},
};
enum WorkField : u8 { WorkId, NameOrFunction };
constexpr u32 kAnyCpu = ~0u;

std::vector<WantedTracepoint> wanted_work() {
  return {{"irq", "irq_handler_entry", {"irq", "name"}},
          {"irq", "irq_handler_exit", {"irq"}},
          {"irq", "softirq_raise", {"vec"}},
          {"irq", "softirq_entry", {"vec"}},
          {"irq", "softirq_exit", {"vec"}},
          {"workqueue", "workqueue_activate_work", {"work", "function"}},
          {"workqueue", "workqueue_execute_start", {"work", "function"}},
          {"workqueue", "workqueue_execute_end", {"work", "function"}}};
}

void add(WorkRow& row, u64 from, u64 until) {
  const u64 time = until > from ? until - from : 0;
  if (row.count++ == 0 || time > row.most) {
    row.most = time;
    row.most_from = from;
    row.most_until = until;
  }
  row.total += time;
}

}  // namespace

KernelWork::KernelWork(const data::Reader& reader, Request request)
    : TracepointSink(reader, wanted_work()), request_(std::move(request)) {}

// Empty if this event does not provide the name.
std::string KernelWork::name_of(WorkKind kind, const TracepointView& view, Resolver& resolver) {
  if (kind == WorkKind::Irq) return std::string(view.text(NameOrFunction));
  if (kind == WorkKind::Softirq) {
    const PrintNames* const names = tracepoints().names_of(view.which, "vec");
    return names == nullptr ? std::string() : names->text(view.number(WorkId));
  }
  if (!view.has(NameOrFunction)) return {};
  const u64 address = view.number(NameOrFunction);
  const auto [at, fresh] = functions_.try_emplace(address);
  if (fresh) {
    const auto& context = resolver.context(0, 0, kForever);
    const Frame& frame = resolver.at(resolver.frame(context, address, abi::misc_bit::Kernel));
    at->second = frame.symbol ? std::string(resolver.symbol_name(frame)) : fmt::format("{:#x}", address);
  }
  return at->second;
}

void KernelWork::take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  const auto [kind, step] = kMeanings[view.which];
  if (!request_.kinds[static_cast<std::size_t>(kind)]) return;
  if (step == WorkStep::Raise && request_.sum == Sum::Runtimes && !request_.show) return;
  const u64 time = sample.sample.time;
  const Key key{kind, sample.sample.cpu, view.number(WorkId)};
  WorkRow& row = items_[key];
  if (row.name.empty()) {
    row.kind = kind;
    row.cpu = key.cpu;
    row.id = key.id;
    row.name = name_of(kind, view, resolver);
  }
  if (!request_.name.empty() && row.name != request_.name) return;
  if (events_++ == 0) first_ = time;
  last_ = time;
  if (step == WorkStep::Raise) return raise(key, time);
  if (step == WorkStep::Entry) return enter(key, row, sample, resolver);
  leave(key, time);
}

KernelWork::Key KernelWork::pairing_key(const Key& key) {
  return {key.kind, key.kind == WorkKind::Workqueue ? kAnyCpu : key.cpu, key.id};
}

// A queued work item cannot be queued again, so an earlier raise without a run was cancelled. Softirqs keep the first
// raise.
void KernelWork::raise(const Key& key, u64 time) {
  if (key.kind == WorkKind::Workqueue)
    raised_.insert_or_assign(pairing_key(key), time);
  else
    raised_.try_emplace(pairing_key(key), time);
}

void KernelWork::enter(const Key& key, WorkRow& row, const ReplaySample& sample, Resolver& resolver) {
  const u64 time = sample.sample.time;
  const auto raised = raised_.find(pairing_key(key));
  const std::optional<u64> since = raised == raised_.end() ? std::nullopt : std::optional(raised->second);
  if (since) raised_.erase(raised);
  if (request_.sum == Sum::Delays) {
    if (since)
      add(row, *since, time);
    else if (key.kind != WorkKind::Irq)
      miss(WorkStep::Entry);
    return;
  }
  WorkRun run{
      .from = time,
      .raised = since,
      .chain = request_.show ? chain_names(sample, request_.chain_depth, resolver) : std::vector<std::string>()};
  const auto [at, fresh] = running_.insert_or_assign(pairing_key(key), Running{.row = &row, .run = std::move(run)});
  if (!fresh) miss(WorkStep::Entry);
}

void KernelWork::leave(const Key& key, u64 time) {
  if (request_.sum == Sum::Delays) return;
  const auto at = running_.find(pairing_key(key));
  if (at == running_.end()) return miss(WorkStep::Exit);
  auto& [row, run] = at->second;
  run.until = time;
  add(*row, run.from, time);
  if (request_.show) request_.show(*row, run);
  running_.erase(at);
}

std::bitset<128> KernelWork::records() const { return kinds_of_records({abi::RecordType::Lost}); }

void KernelWork::side_band(const ReplaySideBand&, Resolver&, unsigned) {
  unpaired_[static_cast<std::size_t>(WorkStep::Raise)] += raised_.size();
  raised_.clear();
  unpaired_[static_cast<std::size_t>(WorkStep::Entry)] += running_.size();
  running_.clear();
}

WorkSummary KernelWork::summary() const {
  WorkSummary summary{.rows = {}, .events = events_, .span = last_ - first_, .unpaired = unpaired_};
  for (const auto& [key, row] : items_)
    if (row.count != 0) summary.rows.push_back(row);
  u64& raises = summary.unpaired[static_cast<std::size_t>(WorkStep::Raise)];
  raises = request_.sum == Sum::Runtimes ? 0 : raises + raised_.size();
  return summary;
}

}  // namespace peregrine
