#include "capture/counter.h"

#include <unistd.h>

#include <algorithm>

namespace peregrine {

Result<CounterSet> CounterSet::open(EventList& events, const Target& target, const PerfLimits& limits,
                                    std::vector<std::string>& warnings, OnOpen on_open) {
  OpenPolicy policy;
  policy.limits = limits;
  policy.skip_unsupported = true;
  policy.on_open = std::move(on_open);
  if (target.kind == TargetKind::Cpus) {
    policy.cpus = target.cpus;
    policy.threads = {-1};
  } else {
    policy.cpus = {-1};
    policy.threads = target.threads;
  }
  auto matrix = EventMatrix::open(events, policy, warnings);
  if (!matrix) return std::unexpected(std::move(matrix.error()));
  CounterSet set;
  set.matrix_ = std::move(*matrix);
  set.shapes_.resize(events.size());
  for (std::size_t index = 0; index < events.size(); ++index) {
    auto& shape = set.shapes_[index];
    shape.read_format = events[index].attr.read_format;
    if (!set.supported(index) || events[index].tool != ToolEvent::None) continue;
    const std::size_t leader = events[index].leader;
    if ((events[leader].attr.read_format & abi::read_bit::Group) == 0) continue;
    set.shapes_[leader].members.push_back(index);
    shape.by_leader = leader != index;
  }
  return set;
}

void CounterSet::read_cell(std::size_t event, const Cell& cell, std::vector<std::vector<CounterReading>>& out) {
  if (!cell.fd) return;
  const Shape& shape = shapes_[event];
  const std::size_t members = std::max<std::size_t>(shape.members.size(), 1);
  std::vector<std::byte> bytes((3 + members * 3) * sizeof(u64));
  const ssize_t size = ::read(cell.fd.get(), bytes.data(), bytes.size());
  if (size <= 0) return;
  ByteReader in(Bytes(bytes).first(static_cast<std::size_t>(size)));
  abi::ReadValues values;
  if (!abi::decode_read(in, shape.read_format, values, values_)) return;
  for (std::size_t at = 0; at < values.values.size() && at < members; ++at) {
    const std::size_t member = shape.members.empty() ? event : shape.members[at];
    out[member].push_back(
        {member, cell.cpu, cell.thread, values.values[at].value, values.time_enabled, values.time_running});
  }
}

std::vector<CounterReading> CounterSet::read() {
  std::vector<std::vector<CounterReading>> by_event(shapes_.size());
  for (std::size_t index = 0; index < shapes_.size(); ++index) {
    if (shapes_[index].by_leader) continue;
    for (const Cell& cell : matrix_.at(index).cells) read_cell(index, cell, by_event);
  }
  std::vector<CounterReading> readings;
  for (const auto& part : by_event) readings.insert(readings.end(), part.begin(), part.end());
  return readings;
}

}  // namespace peregrine
