#include "pipeline/recording/synthesis.h"

#include "abi/sample.h"
#include "capture/synthesis/bpf.h"
#include "capture/synthesis/cgroup.h"
#include "capture/synthesis/kernel.h"
#include "capture/synthesis/process.h"
#include "capture/synthesis/session.h"
#include "sys/host.h"

namespace peregrine {
namespace {

// Kernel maps help only events that may see the kernel.
bool sees_kernel(const EventList& events) {
  for (const auto& spec : events) {
    if (!spec.attr.has(abi::attr_flag::ExcludeKernel)) return true;
  }
  return false;
}

}  // namespace

void synthesize_opening(const Root& root, const OpeningRequest& request, ByteWriter& out) {
  const auto& events = request.events;
  ProcessSynthesis what;
  what.trailer_size = abi::sample_id_size(events.front().attr);
  what.maps = request.scope.maps;
  what.data_maps = request.data_maps;
  what.namespaces = request.namespaces;
  what.build_ids = request.build_ids;
  if (const auto clock = request.recorder.rings().front().buffer.clock()) synthesize_time_conversion(*clock, out);
  synthesize_id_index(request.recorder.id_index(), out);
  if (sees_kernel(events)) {
    if (const auto text = kernel_text(root)) {
      const BuildId id = request.build_ids ? BuildId::from_bytes(kernel_build_id(root)) : BuildId();
      synthesize_kernel_map(*text, id, what.trailer_size, out);
    }
    synthesize_module_maps(root, request.build_ids, what.trailer_size, out);
  }
  std::vector<ThreadMapEntry> threads;
  for (const Pid thread : request.target.threads) threads.push_back({thread, ""});
  synthesize_thread_map(threads, out);
  synthesize_cpu_map(request.recorder.cpus(), out);
  if (request.cgroups && request.scope.cgroups) synthesize_cgroups(root, what.trailer_size, out);
  if (request.target.kind == TargetKind::Cpus) {
    WorkerPool pool;
    synthesize_bpf_programs(what.trailer_size, out);
    if (request.scope.tasks) synthesize_all_processes(root, what, pool, out);
  } else if (request.target.kind == TargetKind::Threads) {
    WorkerPool pool(request.target.threads.size() < 64 ? 1 : 0);
    synthesize_bpf_programs(what.trailer_size, out);
    if (request.scope.tasks) synthesize_threads(root, what, request.target.threads, pool, out);
  }
  if (request.workload) synthesize_workload(root, what, *request.workload, "perf-exec", out);
}

}  // namespace peregrine
