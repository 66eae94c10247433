#include "capture/target/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "base/container/sort_unique.h"
#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {
namespace {

Result<std::vector<Pid>> parse_pids(std::string_view text, std::string_view what) {
  std::vector<Pid> pids;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view word = trim(text.substr(at, comma - at));
    const Pid pid = parse_number<Pid>(word).value_or(0);
    if (pid <= 0) {
      return fail(ErrorKind::Usage, "Invalid {} \"{}\"", what, word);
    }
    pids.push_back(pid);
    at = comma + 1;
  }
  return pids;
}

Result<> add_threads_of(const Root& root, const std::vector<Pid>& processes, std::string_view what, Target& target) {
  for (const Pid process : processes) {
    const auto threads = threads_of(root, process);
    if (threads.empty()) {
      auto error = fail(ErrorKind::NotFound, "no {} {}", what, process);
      error.error().system_errno = ESRCH;
      return error;
    }
    target.threads.insert(target.threads.end(), threads.begin(), threads.end());
  }
  return {};
}

Result<> choose_threads(const Root& root, const TargetRequest& request, Target& target) {
  if (!shows_own_pid_namespace(root)) {
    auto error = fail(ErrorKind::System, "cannot choose processes: /proc shows another PID namespace");
    error.error().hint = "mount the /proc of this namespace: mount -t proc proc /proc";
    return error;
  }
  if (!request.pids.empty()) {
    auto pids = parse_pids(request.pids, "process id");
    if (!pids) return std::unexpected(std::move(pids.error()));
    PEREGRINE_TRY(add_threads_of(root, *pids, "process", target));
    target.processes = std::move(*pids);
  } else if (!request.tids.empty()) {
    auto tids = parse_pids(request.tids, "thread id");
    if (!tids) return std::unexpected(std::move(tids.error()));
    for (const Pid tid : *tids) {
      if (!status_of(root, tid)) return fail(ErrorKind::NotFound, "no thread {}", tid);
    }
    target.threads = std::move(*tids);
  } else {
    const auto uid = parse_number<u32>(request.user);
    if (!uid) return fail(ErrorKind::Usage, "Invalid User: {}", request.user);
    target.processes = processes_of_user(root, *uid);
    if (target.processes.empty()) return fail(ErrorKind::NotFound, "user {} has no processes", *uid);
    for (const Pid process : target.processes) {
      const auto threads = threads_of(root, process);
      target.threads.insert(target.threads.end(), threads.begin(), threads.end());
    }
  }
  sort_unique(target.threads);
  return {};
}

}  // namespace

std::vector<std::string> drop_overridden(TargetRequest& request) {
  std::vector<std::string> dropped;
  const bool threads = !request.pids.empty() || !request.tids.empty();
  if (!request.pids.empty() && !request.tids.empty()) {
    request.tids.clear();
    dropped.emplace_back("PID switch overriding TID");
  }
  if (threads && !request.user.empty()) {
    request.user.clear();
    dropped.emplace_back("PID/TID switch overriding UID");
  }
  if (!threads && request.user.empty()) return dropped;
  const std::string_view stronger = threads ? "PID/TID" : "UID";
  if (!request.cpus.empty()) {
    request.cpus.clear();
    dropped.push_back(fmt::format("{} switch overriding CPU", stronger));
  }
  if (request.system_wide) {
    request.system_wide = false;
    dropped.push_back(fmt::format("{} switch overriding SYSTEM", stronger));
  }
  return dropped;
}

Result<Target> make_target(const Root& root, const TargetRequest& request) {
  Target target;
  target.per_thread = request.per_thread;
  const bool has_threads = !request.pids.empty() || !request.tids.empty() || !request.user.empty();
  if (!request.cpus.empty()) {
    auto cpus = parse_cpu_list(request.cpus);
    if (!cpus) return std::unexpected(std::move(cpus.error()));
    target.cpus = std::move(*cpus);
    const CpuList online = online_cpus(root);
    for (const int cpu : target.cpus) {
      if (!std::ranges::binary_search(online, cpu)) return fail(ErrorKind::NotFound, "CPU {} is not online", cpu);
    }
  } else {
    target.cpus = online_cpus(root);
  }
  if (has_threads) {
    target.kind = TargetKind::Threads;
    PEREGRINE_TRY(choose_threads(root, request, target));
  } else if (request.system_wide || !request.cpus.empty()) {
    target.kind = TargetKind::Cpus;
    target.threads = {-1};
  }
  return target;
}

std::vector<Pid> processes_of(const Root& root, const Target& target) {
  if (target.kind == TargetKind::Cpus) return all_processes(root);
  std::vector<Pid> processes;
  for (const Pid thread : target.threads)
    if (const auto status = status_of(root, thread)) processes.push_back(status->tgid > 0 ? status->tgid : thread);
  sort_unique(processes);
  return processes;
}

}  // namespace peregrine
