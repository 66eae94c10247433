#include "session/recording/tracepoint/tracepoint_recording.h"

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <utility>

#include "analysis/chart/io_calls.h"
#include "base/text/words.h"

namespace peregrine {

TracepointRecording scheduler_recording(const Root& root) {
  TracepointRecording recording{{"-a", "-R", "-m", "1024", "-c", "1"}, RecordableTracepoints("sched", root)};
  const RecordableTracepoints& there = recording.tracepoints;
  there.add_events({"sched_switch", "sched_stat_wait", "sched_stat_sleep", "sched_stat_iowait", "sched_stat_runtime",
                    "sched_process_fork", "sched_wakeup_new", "sched_migrate_task",
                    there.has("sched_waking") ? "sched_waking" : "sched_wakeup"},
                   recording.arguments);
  return recording;
}

Result<TracepointRecording> lock_recording(const Root& root) {
  TracepointRecording recording{{"-R", "-m", "1024", "-c", "1"}, RecordableTracepoints("lock", root)};
  const RecordableTracepoints& there = recording.tracepoints;
  std::vector<std::string>& arguments = recording.arguments;
  if (there.has("lock_acquire")) {
    there.add_events({"lock_acquire", "lock_acquired", "lock_contended", "lock_release"}, arguments);
    return recording;
  }
  if (there.has("contention_begin")) {
    there.add_events({"contention_begin", "contention_end"}, arguments);
    arguments.insert(arguments.end(), {"--call-graph", "fp"});
    return recording;
  }
  return std::unexpected(Error{ErrorKind::Unsupported, "tracepoint lock:contention_begin not found"}.with_hint(
      "kernels before 5.19 need CONFIG_LOCKDEP and CONFIG_LOCK_STAT"));
}

TracepointRecording memory_recording(bool slabs, bool pages, const Root& root) {
  TracepointRecording recording{{"-a", "-R", "-c", "1"}, RecordableTracepoints("kmem", root)};
  const RecordableTracepoints& there = recording.tracepoints;
  if (slabs)
    there.add_events(
        {"kmalloc", "kmalloc_node", "kfree", "kmem_cache_alloc", "kmem_cache_alloc_node", "kmem_cache_free"},
        recording.arguments);
  if (pages) {
    recording.arguments.emplace_back("-g");
    there.add_events({"mm_page_alloc", "mm_page_free"}, recording.arguments);
  }
  return recording;
}

Result<RecordedWork> parse_recorded_work(std::string_view words) {
  std::vector<std::string> chosen = split_words(words);
  RecordedWork work;
  work.switches = std::erase(chosen, "sched") != 0;
  auto kinds = parse_work_kinds(fmt::format("{}", fmt::join(chosen, ",")));
  if (!kinds) return std::unexpected(std::move(kinds.error()));
  work.kinds = *kinds;
  if (work.switches && chosen.empty()) work.kinds.fill(false);
  return work;
}

TracepointRecording work_recording(const RecordedWork& work, const Root& root) {
  TracepointRecording recording{{"-a", "-R", "-m", "1024", "-c", "1"}, RecordableTracepoints("irq", root)};
  const RecordableTracepoints& irqs = recording.tracepoints;
  std::vector<std::string>& arguments = recording.arguments;
  if (work.switches) RecordableTracepoints("sched", root).add_events({"sched_switch"}, arguments);
  if (work.kinds[0]) irqs.add_events({"irq_handler_entry", "irq_handler_exit"}, arguments);
  if (work.kinds[1]) irqs.add_events({"softirq_raise", "softirq_entry", "softirq_exit"}, arguments);
  if (work.kinds[2])
    RecordableTracepoints("workqueue", root)
        .add_events({"workqueue_activate_work", "workqueue_execute_start", "workqueue_execute_end"}, arguments);
  return recording;
}

void add_guest_events(const RecordableTracepoints& there, std::vector<std::string>& words) {
  there.add_events({"kvm_entry", "kvm_exit", "kvm_mmio", "kvm_pio", "kvm_msr"}, words);
}

TracepointRecording guest_recording(const Root& root) {
  TracepointRecording recording{{"-R", "-m", "1024", "-c", "1"}, RecordableTracepoints("kvm", root)};
  add_guest_events(recording.tracepoints, recording.arguments);
  return recording;
}

TracepointRecording chart_recording(const RecordedChart& chart, const Root& root) {
  TracepointRecording recording{{"-a", "-R", "-c", "1"}, RecordableTracepoints("sched", root)};
  std::vector<std::string>& arguments = recording.arguments;
  if (chart.chains) arguments.emplace_back("-g");
  if (!chart.io_only) {
    if (chart.tasks) recording.tracepoints.add_events({"sched_wakeup", "sched_switch"}, arguments);
    if (chart.power) RecordableTracepoints("power", root).add_events({"cpu_frequency", "cpu_idle"}, arguments);
    return recording;
  }
  const RecordableTracepoints calls("syscalls", root);
  for (const IoCall& io : kIoCalls)
    for (const std::string_view name : {io.enter, io.exit}) {
      const std::size_t before = arguments.size();
      calls.add_events({name}, arguments);
      // The recorder's writes would be recorded too, causing more writes. The option applies to the preceding event.
      if (arguments.size() != before) arguments.emplace_back("--exclude-perf");
    }
  return recording;
}

}  // namespace peregrine
