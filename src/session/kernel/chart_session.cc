#include "session/kernel/chart_session.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "analysis/chart/chart_collector.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "output/text_file.h"
#include "pipeline/replay/filter.h"
#include "session/recording/sample_choice.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

TimeChartText titled(TimeChartText text, const TimeChart& chart, const data::Features& features) {
  text.title = fmt::format("{} in {:.3f} s", chart.has_io ? "I/O of tasks" : "CPUs and tasks",
                           static_cast<double>(chart.length()) / 1e9);
  if (features.hostname) text.title += " on " + *features.hostname;
  if (features.cmdline) text.subtitle = fmt::format("{}", fmt::join(*features.cmdline, " "));
  return text;
}

}  // namespace

Result<u64> draw_time_chart(TracedRecording& recording, const ChartRequest& request, Sink& standard_output,
                            SessionListener& listener) {
  auto times = choose_times(request.times, *recording.reader);
  if (!times) return std::unexpected(std::move(times.error()));
  SampleFilter filter;
  filter.times = std::move(*times);
  ChartCollector collector(*recording.reader, {.io = request.io});
  PEREGRINE_TRY(replay_traced(recording, collector, std::move(filter), listener));
  TimeChart chart = collector.take_chart();
  const data::Features& features = recording.reader->header().features;
  if (request.topology && features.cpu_topology) order_by_topology(chart, *features.cpu_topology);
  const auto rows = chosen_tasks(chart, request.tasks, chart.has_io);
  const TimeChartText text = titled(request.look, chart, features);
  PEREGRINE_TRY(
      write_whole_file(request.output, standard_output, [&](Sink& out) { print_time_chart(out, chart, rows, text); }));
  return chart.length();
}

}  // namespace peregrine
