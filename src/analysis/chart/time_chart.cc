#include "analysis/chart/time_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace peregrine {

namespace {

// Initial thresholds for the busiest tasks (ns, bytes), and the divisor applied while too few tasks qualify.
constexpr u64 kLongRun = 10'000'000, kManyBytes = 1'000'000, kEase = 10;

u64 weight(const ChartTask& task, bool io) {
  return io ? task.taken + task.given : task.times[static_cast<std::size_t>(TaskState::Running)];
}

bool is_wanted(const ChartTask& task, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(wanted, [&](const std::string& word) {
    return is_called(task, word) || word == fmt::format("{}", task.tid) ||
           (task.pid != 0 && word == fmt::format("{}", task.pid));
  });
}

}  // namespace

bool is_called(const ChartTask& task, std::string_view name) {
  return task.comm == name || std::ranges::find(task.former, name) != task.former.end();
}

std::vector<u32> chosen_tasks(const TimeChart& chart, const TaskChoice& choice, bool io) {
  const auto drawn = [&](const ChartTask& task) { return io ? !task.io.empty() : !task.spans.empty(); };
  const auto choose = [&](auto accepts) {
    std::vector<u32> chosen;
    for (u32 i = 0; i < chart.tasks.size(); ++i)
      if (drawn(chart.tasks[i]) && accepts(chart.tasks[i])) chosen.push_back(i);
    return chosen;
  };
  std::vector<u32> chosen;
  if (!choice.wanted.empty()) {
    chosen = choose([&](const ChartTask& task) { return is_wanted(task, choice.wanted); });
  } else {
    u64 least = io ? kManyBytes : kLongRun;
    const auto enough = [&](const ChartTask& task) { return weight(task, io) >= least; };
    chosen = choose(enough);
    while (least > 0 && chosen.size() < choice.least) {
      least /= kEase;
      chosen = choose(enough);
    }
  }
  std::ranges::stable_sort(chosen, {}, [&](u32 index) {
    const ChartTask& task = chart.tasks[index];
    return std::pair(task.pid == 0 ? task.tid : task.pid, task.tid);
  });
  return chosen;
}

void order_by_topology(TimeChart& chart, const data::CpuTopology& topology) {
  const auto place = [&](const ChartCpu& cpu) {
    return cpu.number < topology.cpus.size() ? topology.cpus[cpu.number] : data::CpuTopology::Place();
  };
  std::ranges::sort(chart.cpus, {}, [&](const ChartCpu& cpu) {
    const auto at = place(cpu);
    return std::tuple(at.socket, at.die, at.core, cpu.number);
  });
  for (ChartCpu& cpu : chart.cpus) {
    const auto at = place(cpu);
    if (at.socket < 0) continue;
    cpu.place = topology.has_dies ? fmt::format("socket {}, die {}, core {}", at.socket, at.die, at.core)
                                  : fmt::format("socket {}, core {}", at.socket, at.core);
  }
}

}  // namespace peregrine
