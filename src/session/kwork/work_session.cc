#include "session/kwork/work_session.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "analysis/work/watched_work.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/scheduling/cpu_usage_watcher.h"
#include "capture/scheduling/work_watcher.h"
#include "data/reader/reader.h"
#include "output/text/kernel/kernel_work_text.h"
#include "pipeline/replay/filter.h"
#include "session/measured_run.h"
#include "session/recording/sample_choice.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

Result<SampleFilter> work_filter(const std::string& times, const std::vector<u32>& cpus, const data::Reader& reader) {
  auto spans = choose_times(times, reader);
  if (!spans) return std::unexpected(std::move(spans.error()));
  SampleFilter filter;
  filter.times = std::move(*spans);
  filter.cpus = cpus;
  return filter;
}

// `which` is completed from the request.
Result<std::unique_ptr<KernelWork>> follow_work(TracedRecording& recording, const WorkRequest& request,
                                                KernelWork::Request which, SessionListener& listener) {
  auto filter = work_filter(request.times, request.cpus, *recording.reader);
  if (!filter) return std::unexpected(std::move(filter.error()));
  which.sum = request.sum;
  which.kinds = request.kinds;
  which.name = request.name;
  auto work = std::make_unique<KernelWork>(*recording.reader, std::move(which));
  PEREGRINE_TRY(replay_traced(recording, *work, std::move(*filter), listener));
  if (!work->tracepoints().any())
    return std::unexpected(
        Error{ErrorKind::Unsupported, "this recording has no interrupt, softirq or workqueue events"}.with_hint(
            "record with `perf kwork record`"));
  return work;
}

}  // namespace

Result<WorkSummary> recorded_work(TracedRecording& recording, const WorkRequest& request, SessionListener& listener) {
  const auto work = follow_work(recording, request, {}, listener);
  if (!work) return std::unexpected(work.error());
  return (*work)->summary();
}

Result<> show_work_runs(TracedRecording& recording, const WorkRequest& request, unsigned chain_depth, Sink& out,
                        SessionListener& listener) {
  bool printed = false;
  WorkRunText table(out);
  const auto print_titles_once = [&] {
    if (!std::exchange(printed, true)) table.print_titles();
  };
  const auto show = [&](const WorkRow& row, const WorkRun& run) {
    print_titles_once();
    table.print(row, run);
  };
  const auto work = follow_work(recording, request, {.chain_depth = chain_depth, .show = show}, listener);
  if (!work) return std::unexpected(work.error());
  print_titles_once();
  return {};
}

Result<WorkSummary> measured_work(const WorkRequest& request, const std::vector<std::string>& command,
                                  const std::function<std::unique_ptr<Machine>()>& kernel, SessionListener& listener) {
  auto watcher = WorkWatcher::open(
      {.delays = request.sum == KernelWork::Sum::Delays, .kinds = request.kinds, .cpus = request.cpus});
  if (!watcher) return std::unexpected(std::move(watcher.error()));
  PEREGRINE_TRY(run_measured(
      command, listener, [&] { return watcher->enable(); }, [&] { return watcher->disable(); }, request.limit));
  if (const u64 lost = watcher->lost(); lost != 0)
    listener.warning(
        fmt::format("{} not counted: too many distinct work items", counted(lost, "event was", "events were")));
  return work_summary(watcher->work(), watcher->raises(), request.name, *kernel());
}

Result<CpuUsageTable> recorded_usage(TracedRecording& recording, const UsageRequest& request,
                                     SessionListener& listener) {
  auto filter = work_filter(request.times, request.cpus, *recording.reader);
  if (!filter) return std::unexpected(std::move(filter.error()));
  CpuUsage usage(*recording.reader, request.name);
  PEREGRINE_TRY(replay_traced(recording, usage, std::move(*filter), listener));
  return usage.table();
}

Result<CpuUsageTable> measured_usage(const UsageRequest& request, const std::vector<std::string>& command,
                                     SessionListener& listener) {
  auto watcher = CpuUsageWatcher::open(request.cpus);
  if (!watcher) return std::unexpected(std::move(watcher.error()));
  PEREGRINE_TRY(run_measured(
      command, listener, [&] { return watcher->enable(); }, [&] { return watcher->disable(); }, request.limit));
  if (const u64 lost = watcher->lost(); lost != 0)
    listener.warning(fmt::format("{} ns of task time not counted: too many tasks", lost));
  return usage_table(watcher->cpus(), watcher->tasks(), request.name);
}

}  // namespace peregrine
