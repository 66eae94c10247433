#include "event/syntax/event_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/container/sort_unique.h"
#include "base/nearest.h"
#include "base/text/ascii.h"
#include "event/kind/generic_event.h"

namespace peregrine {

std::vector<std::string> generic_names() {
  std::vector<std::string> names;
  for (const auto table : {hardware_events(), software_events(), tool_events()})
    for (const auto& event : table) {
      names.emplace_back(event.name);
      if (!event.alias.empty()) names.emplace_back(event.alias);
    }
  return names;
}

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  auto near = nearest(word, views);
  if (!near) near = nearest(lower_case(word), views);
  return near ? std::optional(std::string(*near)) : std::nullopt;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view before) {
  const auto near = nearest_name(word, candidates);
  return near ? fmt::format("did you mean '{}{}'?", before, *near) : std::string();
}

// Hints for events that must be defined before use, and for system calls that programs no longer make.
std::string undefined_event_hint(std::string_view system, std::string_view event) {
  const bool is_glob = event.find_first_of("*?[") != std::string_view::npos;
  if (system.starts_with("%sdt_"))
    return fmt::format("write {}:{}: the % is for `perf probe` only", system.substr(1), event);
  if (system.starts_with("sdt_"))
    return fmt::format(
        "list the markers of a program with `readelf -n PROGRAM`, and define them with `perf probe -x PROGRAM "
        "'%{}:{}'`; `perf record` defines those of the program that it runs",
        system, event);
  const std::string_view function = is_glob ? "FUNCTION" : event;
  if (system == "probe") return fmt::format("define it first: perf probe {}", function);
  if (system.starts_with("probe_")) return fmt::format("define it first: perf probe -x PROGRAM {}", function);
  if (is_glob || system != "syscalls") return {};
  const bool at_exit = event.starts_with("sys_exit_");
  const std::string_view call = event.substr(std::min(event.size(), std::string_view("sys_exit_").size() + !at_exit));
  constexpr std::pair<std::string_view, std::string_view> kReplaced[] = {
      {"socketcall", "socket,connect,accept4,sendto,recvfrom,sendmsg,recvmsg"},
      {"ipc", "semop,semtimedop,msgsnd,msgrcv,shmat"},
      {"sigaction", "rt_sigaction"},
      {"sigprocmask", "rt_sigprocmask"},
      {"waitpid", "wait4,waitid"},
  };
  for (const auto& [old, today] : kReplaced)
    if (call == old)
      return fmt::format("programs of this machine do not call {}: use syscalls:sys_{}_{{{}}}", old,
                         at_exit ? "exit" : "enter", today);
  return {};
}

namespace {

// "PMUs of this machine: msr, software, uncore_imc": those with a number once.
std::string listed_pmus(std::vector<std::string> names) {
  constexpr std::size_t kMost = 20;
  for (std::string& name : names) {
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end != std::string::npos && end > 0 && end + 1 < name.size() && name[end] == '_') name.resize(end);
  }
  sort_unique(names);
  if (names.empty()) return {};
  const bool too_many = names.size() > kMost;
  if (too_many) names.resize(kMost);
  return fmt::format("PMUs of this machine: {}{}", fmt::join(names, ", "), too_many ? ", ..." : "");
}

}  // namespace

// Hybrid processors have a PMU for each kind of core, cpu_core and cpu_atom, but no "cpu".
std::string missing_pmu_hint(std::string_view name, const std::vector<Pmu>& pmus) {
  std::vector<std::string> kinds, names;
  for (const Pmu& pmu : pmus) {
    names.push_back(pmu.name);
    if (name == "cpu" && pmu.name.starts_with("cpu_")) kinds.push_back(pmu.name);
  }
  if (kinds.empty()) {
    const std::string near = did_you_mean(name, names);
    return near.empty() ? listed_pmus(std::move(names)) : near;
  }
  std::ranges::sort(kinds);
  return fmt::format("this processor has several kinds of cores: use {}", fmt::join(kinds, " or "));
}

bool is_bpf_source(std::string_view word) {
  const std::string_view path = word.substr(0, word.find("/map:"));
  return path.ends_with(".c") || path.ends_with(".o");
}

}  // namespace peregrine
