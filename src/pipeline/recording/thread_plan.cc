#include "pipeline/recording/thread_plan.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <iterator>
#include <string>
#include <utility>

#include "sys/hardware/memory.h"

namespace peregrine {
namespace {

std::unexpected<Error> wrong(std::string_view text) {
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("--threads: Invalid thread maps or affinity specs: {}", text)}.with_hint(
          "use cpu, core, package, numa, or lists such as 0-3/0:4-7/4"));
}

CpuList only_online(const CpuList& cpus, const CpuList& online) {
  CpuList both;
  std::ranges::set_intersection(cpus, online, std::back_inserter(both));
  return both;
}

// One thread for each CPU list; it runs on the CPUs of the rings that it drains.
std::vector<ThreadPlan> plan_of_lists(const std::vector<std::string>& lists, const CpuList& online) {
  std::vector<ThreadPlan> plan;
  for (const std::string& list : lists) {
    const auto cpus = parse_cpu_list(list);
    if (!cpus) continue;
    CpuList both = only_online(*cpus, online);
    if (!both.empty()) plan.push_back({both, both});
  }
  return plan;
}

std::vector<std::string> lists_of_nodes(const Root& root) {
  std::vector<std::string> lists;
  for (const NumaNode& node : numa_nodes(root)) lists.push_back(node.cpus);
  return lists;
}

Result<ThreadPlan> parse_lists(std::string_view text, const CpuList& online) {
  const auto slash = text.find('/');
  if (slash == text.npos) return wrong(text);
  const auto rings = parse_cpu_list(text.substr(0, slash)), affinity = parse_cpu_list(text.substr(slash + 1));
  if (!rings || !affinity) return wrong(text);
  ThreadPlan plan{only_online(*rings, online), only_online(*affinity, online)};
  if (plan.rings.empty() || plan.affinity.empty()) return wrong(text);
  return plan;
}

}  // namespace

Result<std::vector<ThreadPlan>> parse_thread_plan(const Root& root, std::string_view text) {
  const CpuList online = online_cpus(root);
  std::vector<ThreadPlan> plan;
  if (text == "core") {
    plan = plan_of_lists(cpu_topology(root).core_siblings, online);
  } else if (text == "package") {
    plan = plan_of_lists(cpu_topology(root).package_siblings, online);
  } else if (text == "numa") {
    plan = plan_of_lists(lists_of_nodes(root), online);
  } else if (text == "cpu") {
    plan.reserve(online.size());
    for (const int cpu : online) plan.push_back({{cpu}, {cpu}});
  } else {
    for (std::string_view rest = text;;) {
      const auto colon = std::min(rest.find(':'), rest.size());
      auto part = parse_lists(rest.substr(0, colon), online);
      if (!part) return std::unexpected(std::move(part.error()));
      for (const ThreadPlan& other : plan) {
        if (!only_online(other.rings, part->rings).empty())
          return fail(ErrorKind::Usage, "--threads: {} contains CPUs of another thread", rest.substr(0, colon));
      }
      plan.push_back(std::move(*part));
      if (colon == rest.size()) break;
      rest.remove_prefix(colon + 1);
    }
  }
  if (plan.empty()) return fail(ErrorKind::Unsupported, "--threads={}: this machine reports none", text);
  return plan;
}

std::vector<DrainPart> assign_rings(const std::vector<ThreadPlan>& plan, const std::vector<int>& ring_cpus,
                                    std::vector<int>& left_out) {
  std::vector<DrainPart> parts;
  parts.reserve(plan.size());
  for (const ThreadPlan& thread : plan) parts.push_back({{}, thread.affinity});
  for (std::size_t ring = 0; ring < ring_cpus.size(); ++ring) {
    const int cpu = ring_cpus[ring];
    const auto owner = std::ranges::find_if(
        plan, [&](const ThreadPlan& thread) { return cpu < 0 || std::ranges::binary_search(thread.rings, cpu); });
    if (owner == plan.end()) {
      left_out.push_back(cpu);
    } else {
      parts[static_cast<std::size_t>(owner - plan.begin())].rings.push_back(ring);
    }
  }
  std::erase_if(parts, [](const DrainPart& part) { return part.rings.empty(); });
  return parts;
}

Result<> run_on(const CpuList& cpus) {
  if (cpus.empty()) return {};
  const int most = cpus.back() + 1;
  cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(most));
  if (set == nullptr) return fail_errno("CPU mask");
  const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  const int done = ::sched_setaffinity(0, size, set);
  const int error = errno;
  CPU_FREE(set);
  if (done != 0) return fail_errno(fmt::format("cannot run on CPUs {}", format_cpu_list(cpus)), error);
  return {};
}

}  // namespace peregrine
