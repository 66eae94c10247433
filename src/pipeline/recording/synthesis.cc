#include "pipeline/recording/synthesis.h"

#include <algorithm>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/build_id.h"
#include "base/concurrency/worker_pool.h"
#include "capture/synthesis/bpf.h"
#include "capture/synthesis/cgroup.h"
#include "capture/synthesis/kernel.h"
#include "capture/synthesis/process.h"
#include "capture/synthesis/session.h"
#include "sys/kernel/host.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

// Kernel maps are useful only to events that can sample the kernel.
bool sees_kernel(const EventList& events) {
  for (const auto& spec : events) {
    if (!spec.attr.has(abi::attr_flag::ExcludeKernel)) return true;
  }
  return false;
}

ProcessSynthesis process_synthesis(const OpeningRequest& request) {
  ProcessSynthesis what;
  what.trailer_size = abi::sample_id_size(request.events.front().attr);
  what.maps = request.synthesis.scope.maps;
  what.data_maps = request.config.fields.addresses;
  what.map_timeout_ms = request.synthesis.map_timeout_ms;
  what.namespaces = request.config.side_band.namespaces;
  what.build_ids = request.config.side_band.build_ids;
  return what;
}

// Returns the threads of a process and of all its descendants. One pass in pid order is enough: a child's pid is higher
// than its parent's unless pids wrapped.
std::vector<Pid> family_of(const Root& root, Pid ancestor) {
  std::vector<Pid> family{ancestor}, threads;
  for (const Pid pid : all_processes(root)) {
    const auto status = status_of(root, pid);
    if (status && std::ranges::find(family, status->ppid) != family.end()) family.push_back(pid);
  }
  for (const Pid pid : family) {
    const auto own = threads_of(root, pid);
    threads.insert(threads.end(), own.begin(), own.end());
  }
  std::ranges::sort(threads);
  return threads;
}

std::vector<Pid> synthesize_processes(const Root& root, const OpeningRequest& request, const ProcessSynthesis& what,
                                      ByteWriter& out) {
  if (request.target.kind == TargetKind::Cpus) {
    WorkerPool pool(request.synthesis.threads);
    return synthesize_all_processes(root, what, pool, out);
  }
  std::vector<Pid> threads = request.target.threads;
  if (request.target.kind == TargetKind::Workload) threads = family_of(root, *request.workload);
  WorkerPool pool(threads.size() < 64 ? 1 : request.synthesis.threads);
  return synthesize_threads(root, what, threads, pool, out);
}

}  // namespace

std::vector<Pid> synthesize_opening(const Root& root, const OpeningRequest& request, ByteWriter& out) {
  const auto& events = request.events;
  const ProcessSynthesis what = process_synthesis(request);
  if (const auto clock = request.recorder.rings().front().buffer.clock()) synthesize_time_conversion(*clock, out);
  synthesize_id_index(request.recorder.id_index(), out);
  if (sees_kernel(events)) {
    if (const auto text = kernel_text(root)) {
      const BuildId id = request.config.side_band.build_ids ? BuildId::from_bytes(kernel_build_id(root)) : BuildId();
      synthesize_kernel_map(*text, id, what.trailer_size, out);
    }
    synthesize_module_maps(root, request.config.side_band.build_ids, what.trailer_size, out);
  }
  std::vector<ThreadMapEntry> threads;
  for (const Pid thread : request.target.threads) threads.push_back({thread, ""});
  synthesize_thread_map(threads, out);
  synthesize_cpu_map(request.recorder.cpus(), out);
  if (request.config.side_band.cgroups && request.synthesis.scope.cgroups)
    synthesize_cgroups(root, what.trailer_size, out);
  if (request.target.kind == TargetKind::Workload && !request.workload) return {};
  synthesize_bpf_programs(what.trailer_size, out);
  if (!request.synthesis.scope.tasks || !shows_own_pid_namespace(root)) return {};
  return synthesize_processes(root, request, what, out);
}

void synthesize_held_workload(const Root& root, const OpeningRequest& request, Pid pid, ByteWriter& out) {
  synthesize_workload(root, process_synthesis(request), pid, "perf-exec", out);
}

}  // namespace peregrine
