#include "analysis/block/block_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "abi/blktrace_record.h"
#include "analysis/field/chain_names.h"

namespace peregrine {

namespace {

std::size_t place(BlockPhase phase) { return static_cast<std::size_t>(phase); }

std::string comm_of(const BlockEvent& event) {
  return event.comm.empty() ? std::string("[unknown]") : std::string(event.comm);
}

}  // namespace

BlockReport::BlockReport(Request request)
    : request_(std::move(request)),
      requests_(
          {.took = [this](const BlockRequest& one, BlockPhase phase, u64 duration) { took(one, phase, duration); },
           .label =
               [this](BlockRequest& one, const BlockEvent& event) {
                 for (const BlockKey key : request_.keys) one.labels.push_back(label(key, event));
                 one.process = {comm_of(event), fmt::format("{}", event.record.pid)};
                 if (!one.labels.empty()) count(row_of(rows_, one.labels), event.record);
                 count(row_of(processes_, one.process), event.record);
               }}) {}

std::string BlockReport::label(BlockKey key, const BlockEvent& event) const {
  switch (key) {
    case BlockKey::Device:
      return request_.device_name(event.group);
    case BlockKey::Comm:
      return comm_of(event);
    case BlockKey::Pid:
      return fmt::format("{}", event.record.pid);
    case BlockKey::Kind:
      return abi::block_kind_text(event.record);
    case BlockKey::File:
      return event.file.empty() ? std::string("[unknown]") : std::string(event.file);
    case BlockKey::Chain:
      break;
  }
  if (event.sample == nullptr || event.resolver == nullptr) return "[no call chain]";
  const auto names = chain_names(*event.sample, request_.chain_depth, *event.resolver);
  return names.empty() ? "[no call chain]" : fmt::format("{}", fmt::join(names, " < "));
}

BlockIoRow& BlockReport::row_of(Rows& rows, const std::vector<std::string>& labels) {
  BlockIoRow& row = rows[labels];
  if (row.labels.empty()) row.labels = labels;
  return row;
}

void BlockReport::count(BlockIoRow& row, const abi::BlktraceRecord& record) {
  const bool write = record.has(abi::block_trait::Write);
  ++(write ? row.writes : row.reads);
  (write ? row.write_bytes : row.read_bytes) += record.bytes;
}

void BlockReport::took(const BlockRequest& request, BlockPhase phase, u64 duration) {
  const std::size_t at = place(phase);
  all_[at].add(duration);
  Device& device = devices_[request.group];
  device.times[at].add(duration);
  const bool was_issued = phase == BlockPhase::Q2C && request.issued != 0 && request.issued >= request.queued;
  const auto add = [&](BlockIoRow& row) {
    row.times[at].add(duration);
    if (was_issued) row.queue_to_issue.add(request.issued - request.queued);
  };
  if (!request.labels.empty()) add(row_of(rows_, request.labels));
  add(row_of(processes_, request.process));
  if (phase == BlockPhase::D2C && request_.points) points_.push_back({.time = now_, .took = duration});
  if (request_.activity && was_issued) device.activity.add_wait(request.issued - request.queued);
}

void BlockReport::add(const BlockEvent& event) {
  const abi::BlktraceRecord& record = event.record;
  if (record.has(abi::block_trait::Notice)) return;
  now_ = record.time;
  issued_ += record.is(abi::BlockAction::Issue) ? 1 : 0;
  completed_ += record.is(abi::BlockAction::Complete) ? 1 : 0;
  const std::size_t known = requests_.add(event);
  Device& device = devices_[event.group];
  if (request_.activity) device.activity.add(record, known);
  if (request_.sizes && record.is(abi::BlockAction::Issue) && record.sectors() != 0)
    sizes_.push_back({.time = record.time, .took = record.bytes});
  if (!record.is(abi::BlockAction::Queue) || record.sectors() == 0 || known == 0) return;
  const auto since = [&](std::optional<u64>& last, BlockTimes& times) {
    if (last) times.add(record.time < *last ? 0 : record.time - *last);
    last = record.time;
  };
  since(last_queued_, all_[place(BlockPhase::Q2Q)]);
  since(device.last_queued, device.times[place(BlockPhase::Q2Q)]);
}

void BlockReport::forget_rows() {
  rows_.clear();
  processes_.clear();
}

std::vector<const BlockIoRow*> BlockReport::sorted(const Rows& rows) {
  std::vector<const BlockIoRow*> result;
  for (const auto& [labels, row] : rows) result.push_back(&row);
  std::ranges::stable_sort(result, std::greater<>(),
                           [](const BlockIoRow* row) { return row->times[place(BlockPhase::Q2C)].sum(); });
  return result;
}

}  // namespace peregrine
