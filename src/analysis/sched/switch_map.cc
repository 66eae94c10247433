#include "analysis/sched/switch_map.h"

#include <algorithm>

namespace peregrine {

namespace {

constexpr std::string_view kIdle = "swapper";

}  // namespace

SwitchMap::SwitchMap(const data::Reader& reader, Request request) : SchedSink(reader), request_(std::move(request)) {
  for (u32 cpu = 0; cpu < request_.cpus; ++cpu)
    if (request_.chosen.empty() || std::ranges::find(request_.chosen, cpu) != request_.chosen.end())
      columns_.push_back({.cpu = cpu});
}

std::bitset<128> SwitchMap::records() const { return kinds_of_records({abi::RecordType::Comm}); }

void SwitchMap::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (record.side_band == nullptr) return;
  const auto* comm = std::get_if<abi::CommRecord>(&record.side_band->body);
  if (comm == nullptr) return;
  if (const auto found = tasks_.find(comm->tid); found != tasks_.end()) found->second.renamed = true;
}

std::string SwitchMap::next_name() {
  const unsigned at = named_++ % 260;
  return {static_cast<char>('A' + at % 26), static_cast<char>('0' + at / 26)};
}

std::size_t SwitchMap::column_of(u32 cpu, bool& fresh) {
  const auto found = std::ranges::find(columns_, cpu, &SwitchMapRow::Column::cpu);
  fresh = found == columns_.end();
  if (!fresh) return static_cast<std::size_t>(found - columns_.begin());
  columns_.push_back({.cpu = cpu});
  return columns_.size() - 1;
}

bool SwitchMap::is_chosen(std::string_view comm) const {
  if (request_.tasks.empty()) return true;
  return std::ranges::any_of(
      request_.tasks, [&](const std::string& name) { return request_.fuzzy ? comm.contains(name) : comm == name; });
}

void SwitchMap::happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  if (event.kind != SchedKind::Switch) return;
  if (!request_.chosen.empty() && std::ranges::find(request_.chosen, event.cpu) == request_.chosen.end()) return;
  SwitchMapRow row{.time = event.time, .tid = event.next};
  row.changed = column_of(event.cpu, row.new_cpu);
  SwitchMapRow::Column& column = columns_[row.changed];
  const bool was_chosen = column.cell == SwitchMapRow::Cell::Task;
  const Machine& machine = resolver.machine();
  const std::string comm = machine.comm_text(machine.thread(~0u, event.next, sample.moment).comm);
  row.comm = comm;
  column.tid = event.next;
  if (comm == kIdle) {
    column.cell = SwitchMapRow::Cell::Idle;
    row.introduces = tasks_.try_emplace(event.next).second;
  } else if (is_chosen(comm)) {
    const auto [at, fresh] = tasks_.try_emplace(event.next);
    if (at->second.name.empty()) at->second.name = next_name();
    row.introduces = fresh || at->second.renamed;
    at->second.renamed = false;
    column.cell = SwitchMapRow::Cell::Task;
    column.name = at->second.name;
  } else {
    column.cell = SwitchMapRow::Cell::Other;
  }
  if (!request_.tasks.empty() && column.cell != SwitchMapRow::Cell::Task) {
    if (!was_chosen) return;
    row.left = true;
  }
  row.columns = columns_;
  request_.show(row);
}

}  // namespace peregrine
