#include "capture/bpf/watcher.h"

#include <unistd.h>

#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/task_mark.h"
#include "capture/bpf/watched_task.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

Result<Fd> link_program(int program, const char* tracepoint) {
  const int link = bpf_raw_tracepoint_open(tracepoint, program);
  if (link < 0) return fail_errno("cannot attach a BPF program", -link);
  return Fd(link);
}

Result<> Watcher::link(int program, const char* tracepoint) {
  auto link = link_program(program, tracepoint);
  if (!link) return std::unexpected(std::move(link.error()));
  links_.push_back(std::move(*link));
  return {};
}

Result<> Watcher::open_table(int map) {
  auto table = CounterTable::map(map, cpus_ * threads_, stride_);
  if (!table) return std::unexpected(std::move(table.error()));
  table_ = std::move(*table);
  return {};
}

Result<> Watcher::open_clock(const abi::EventAttr& attr, const Target& target, const PerfLimits& limits) {
  EventSpec dummy;
  dummy.name = "dummy";
  dummy.attr = attr;
  dummy.attr.type = static_cast<u32>(abi::EventType::Software);
  dummy.attr.config = static_cast<u64>(abi::SoftwareEvent::Dummy);
  dummy.attr.sample_type = 0;
  dummy.attr.read_format = abi::read_bit::TotalTimeEnabled | abi::read_bit::TotalTimeRunning;
  EventList list{dummy};
  OpenPolicy policy;
  policy.limits = limits;
  policy.cpus = by_thread_ ? CpuList{-1} : target.cpus;
  policy.threads = by_thread_ ? target.threads : std::vector<Pid>{-1};
  std::vector<std::string> warnings;
  auto clock = EventMatrix::open(list, policy, warnings);
  if (!clock) return std::unexpected(std::move(clock.error()));
  clock_ = std::move(*clock);
  return {};
}

Result<> Watcher::mark_target(int map) const {
  u32 row = 0;
  for (const Cell& cell : clock_.at(0).cells) {
    const watched_task mark{.row = row, .armed = at_exec_ ? 1u : 0u};
    if (cell.fd) PEREGRINE_TRY(mark_task(map, cell.thread, &mark));
    ++row;
  }
  return {};
}

void Watcher::for_each_place(const std::function<void(const Place&)>& use) const {
  std::size_t row = 0;
  for (const Cell& cell : clock_.at(0).cells) {
    u64 clock[3] = {};  // value, enabled, running
    const std::size_t first = by_thread_ ? row : static_cast<std::size_t>(cell.cpu);
    ++row;
    if (!cell.fd || ::read(cell.fd.get(), clock, sizeof clock) != sizeof clock) continue;
    use({cell, clock[1], clock[2], first, by_thread_ ? threads_ : table_.rows()});
  }
}

u64 Watcher::sum(const Place& place, std::size_t counter) const {
  u64 sum = 0;
  for (std::size_t row = place.first_row; row < table_.rows(); row += place.step) sum += table_.at(row, counter);
  return sum;
}

}  // namespace peregrine
