#include "analysis/sched/switch_map.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "analysis/field/recorded_tracepoints.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

constexpr std::string_view kIdleTask = "swapper";

}  // namespace

SwitchMap::SwitchMap(const data::Reader& reader, Request request)
    : SchedSink(reader), request_(std::move(request)), chosen_(request_.chosen.begin(), request_.chosen.end()) {
  bool fresh = false;
  for (u32 cpu = 0; cpu < request_.cpus; ++cpu)
    if (chosen_.empty() || chosen_.contains(cpu)) column_of(cpu, fresh);
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

std::optional<std::size_t> SwitchMap::column_of(u32 cpu, bool& fresh) {
  const auto found = column_of_cpu_.find(cpu);
  fresh = found == column_of_cpu_.end();
  if (!fresh) return found->second;
  if (columns_.size() >= request_.most_columns) return std::nullopt;
  columns_.push_back({.cpu = cpu});
  column_of_cpu_.emplace(cpu, columns_.size() - 1);
  return columns_.size() - 1;
}

bool SwitchMap::is_chosen(std::string_view comm) const {
  if (request_.tasks.empty()) return true;
  return std::ranges::any_of(
      request_.tasks, [&](const std::string& name) { return request_.fuzzy ? comm.contains(name) : comm == name; });
}

void SwitchMap::happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  if (!chosen_.empty() && !chosen_.contains(event.cpu)) return;
  SwitchMapRow row{.time = event.time, .tid = event.next};
  const auto changed = column_of(event.cpu, row.new_cpu);
  if (!changed) {
    ++hidden_;
    return;
  }
  row.changed = *changed;
  SwitchMapRow::Column& column = columns_[row.changed];
  const bool was_chosen = column.cell == SwitchMapRow::Cell::Task;
  const Machine& machine = resolver.machine();
  const std::string comm = machine.comm_text(machine.thread(~0u, event.next, sample.moment).comm);
  row.comm = comm;
  column.tid = event.next;
  if (comm == kIdleTask) {
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
