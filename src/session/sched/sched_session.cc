#include "session/sched/sched_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/sched/switch_map.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "output/text/sched/sched_latency_text.h"
#include "pipeline/replay/filter.h"
#include "session/recording/sample_choice.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

// Each switch is a line with all columns, so their number multiplies the size of the output. More columns than this are
// shown only if the header says that the machine has them.
constexpr u32 kMostUnannouncedColumns = 1024;

// `refusal`: the error for more than one span.
Result<std::optional<TimeRange>> single_span(std::string_view times, const data::Reader& reader,
                                             std::string_view refusal) {
  auto windows = choose_times(times, reader);
  if (!windows) return std::unexpected(std::move(windows.error()));
  if (windows->size() > 1) return fail(ErrorKind::Usage, "{}", refusal);
  if (windows->empty()) return std::nullopt;
  return windows->front();
}

}  // namespace

Result<std::vector<SchedLatencyKey>> parse_latency_keys(std::string_view words) {
  constexpr std::pair<std::string_view, SchedLatencyKey> kWords[] = {{"avg", SchedLatencyKey::Average},
                                                                     {"max", SchedLatencyKey::Most},
                                                                     {"pid", SchedLatencyKey::Pid},
                                                                     {"runtime", SchedLatencyKey::Runtime},
                                                                     {"switch", SchedLatencyKey::Switches}};
  std::vector<SchedLatencyKey> keys;
  std::string blanks_too(words);
  std::ranges::replace(blanks_too, ' ', ',');
  for (const std::string& word : split_words(blanks_too)) {
    const auto* const found = std::ranges::find(kWords, word, &std::pair<std::string_view, SchedLatencyKey>::first);
    if (found == std::end(kWords))
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("Unknown --sort key: `{}'", word)}.with_hint(
          "must be one of avg, max, switch, runtime, pid"));
    keys.push_back(found->second);
  }
  return keys;
}

Result<> show_delays(TracedRecording& recording, const DelayRequest& request, Sink& out, SessionListener& listener) {
  SchedLatency::Request which = request.which;
  auto window = single_span(request.times, *recording.reader, "--time must be a single time span");
  if (!window) return std::unexpected(std::move(window.error()));
  which.window = *window;
  SchedLatency latency(*recording.reader, which);
  PEREGRINE_TRY(replay_traced(recording, latency, {}, listener));
  print_sched_latency(latency, latency.rows(*recording.machine, request.order), out);
  if (latency.histogram()) print_delay_histogram(*latency.histogram(), out);
  return {};
}

Result<> show_switch_map(TracedRecording& recording, const SwitchMapRequest& request, Sink& out,
                         SessionListener& listener) {
  const u32 most_columns = std::max(recording.cpus(), kMostUnannouncedColumns);
  SwitchMap map(*recording.reader, {.cpus = request.look.compact ? 0 : recording.cpus(),
                                    .most_columns = most_columns,
                                    .chosen = request.cpus,
                                    .tasks = request.tasks,
                                    .fuzzy = request.fuzzy,
                                    .show = [&](const SwitchMapRow& row) { print_switch(row, request.look, out); }});
  PEREGRINE_TRY(replay_traced(recording, map, {}, listener));
  if (map.hidden() != 0)
    listener.warning(fmt::format("{} not shown: at most {} columns (choose CPUs with --cpus)",
                                 counted(map.hidden(), "switch on further CPUs is", "switches on further CPUs are"),
                                 most_columns));
  return {};
}

Result<> show_time_history(TracedRecording& recording, TimeHistoryRequest request, Sink& out,
                           SessionListener& listener) {
  TimeHistory::Request& which = request.which;
  TimeHistoryLook& look = request.look;
  const bool chains = records_chains(recording.reader->evlist());
  if (request.chains && !chains) listener.verbatim("Samples do not have callchains.\n");
  if (!chains) look.chain_depth = 0;
  auto window = single_span(request.times, *recording.reader, "--time must be a single time span");
  if (!window) return std::unexpected(std::move(window.error()));
  which.window = *window;
  which.chain_depth = which.idle_only ? look.chain_depth : 0;
  look.cpus = recording.cpus();
  TimeHistoryText text(look, out);
  if (request.lines) {
    which.show = [&](const TimeHistoryRow& row, Resolver& resolver) { text.print(row, resolver); };
    which.show_lost = [&](u64 time, u64 events, u32 cpu) { text.print_lost(time, events, cpu); };
    text.print_titles();
  }
  const TimeHistorySums sums{.waits = look.state,
                             .idle_only = which.idle_only,
                             .cpus = recording.cpus(),
                             .chosen_cpus = which.filter.cpus,
                             .chains = look.chain_depth != 0};
  TimeHistory history(*recording.reader, std::move(which));
  PEREGRINE_TRY(replay_traced(recording, history, {}, listener));
  if (request.sums) print_time_sums(history, *recording.machine, sums, out);
  return {};
}

}  // namespace peregrine
