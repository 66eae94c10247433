// sched stats: the scheduler's own statistics (/proc/schedstat) while a command runs.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "analysis/sched/schedstat_change.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/cpu_row.h"
#include "cli/frame/parts.h"
#include "cli/frame/version.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "output/text/sched/schedstat_text.h"
#include "session/sched/schedstat_session.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct StatsOptions {
  TracedInput input;
  std::string cpus, output = std::string(kDefaultInput);
  std::chrono::milliseconds limit{};
};

constexpr std::array kCpuRows{
    kCpuRow<&StatsOptions::cpus>,
    kTimeoutRow<&StatsOptions::limit>,
};
constexpr std::array kStatsOutputRows{
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "write the recording to this file (default: perf.data)",
           .store = set<&StatsOptions::output>},
};
constexpr std::array kForce{kForceRow<&StatsOptions::input, &TracedInput::force>};
constexpr auto kSchedStatsRecordOptions = joined_rows(kCpuRows, kStatsOutputRows);

Result<SchedstatRun> run_of(const StatsOptions& options, const Invocation& call) {
  auto cpus = numbers_of(options.cpus, "-C", kHighestCpu);
  if (!cpus) return std::unexpected(std::move(cpus.error()));
  return SchedstatRun{.command = call.words, .cpus = std::move(*cpus), .limit = options.limit};
}

Result<int> stats_record(StatsOptions& options, Invocation& call) {
  const auto run = run_of(options, call);
  if (!run) return std::unexpected(run.error());
  PEREGRINE_TRY(record_schedstats(*run, options.output,
                                  {.version = std::string(kSpeaks), .command_line = call.argv, .clockid = {}},
                                  call.messages));
  call.messages.verbatim(fmt::format("[ perf sched stats: Wrote samples to {} ]\n", options.output));
  return 0;
}

// Nothing if the recording could not be opened, which was reported.
Result<std::optional<SchedstatChange>> recorded_change(const std::string& path, bool force, Invocation& call) {
  auto opened = open_recording(path, force, call.messages);
  if (!opened) {
    say_open_error(call, path, opened.error(), "sched stats record");
    return std::nullopt;
  }
  return recorded_schedstats(*opened, recording_name(path), call.messages);
}

Result<int> stats_report(StatsOptions& options, Invocation& call) {
  if (options.input.dump) return dump_traced(options.input, call);
  const auto change = recorded_change(options.input.path, options.input.force, call);
  if (!change) return std::unexpected(change.error());
  if (!*change) return kNotOpened;
  print_schedstats(**change, call.out);
  return 0;
}

// As in diff: both names, only the older one, or none for the two recordings in this folder.
std::pair<std::string, std::string> compared_files(const Invocation& call) {
  const auto& words = call.words;
  const std::string standard(kDefaultInput);
  if (words.empty()) return {standard + ".old", standard};
  return words.size() == 1 ? std::pair(words[0], standard) : std::pair(words[0], words[1]);
}

Result<int> compare_recordings(StatsOptions& options, Invocation& call) {
  const auto [old_path, new_path] = compared_files(call);
  const auto before = recorded_change(old_path, options.input.force, call);
  if (!before) return std::unexpected(before.error());
  const auto after = recorded_change(new_path, options.input.force, call);
  if (!after) return std::unexpected(after.error());
  if (!*before || !*after) return kNotOpened;
  print_schedstat_difference(**before, **after, call.out);
  return 0;
}

Result<int> stats_diff(StatsOptions& options, Invocation& call) {
  if (call.words.size() > 2)
    return fail(ErrorKind::Usage, "expected at most two recordings, not {}", call.words.size());
  const auto [old_path, new_path] = compared_files(call);
  const auto sandbox = enter_sandbox({.inputs = {old_path, new_path}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  return compare_recordings(options, call);
}

Result<int> stats_live(StatsOptions& options, Invocation& call) {
  const auto run = run_of(options, call);
  if (!run) return std::unexpected(run.error());
  const auto change = watch_schedstats(*run, call.messages);
  if (!change) return std::unexpected(change.error());
  print_schedstats(*change, call.out);
  return 0;
}

constexpr Command kSchedStatsRecordPart{.name = "sched stats record",
                                        .summary = "Record scheduler statistics while a command runs",
                                        .options = kSchedStatsRecordOptions,
                                        .words_at = Words::StopAtFirst,
                                        .since = Since::Ours,
                                        .run = entry<StatsOptions, stats_record>};
constexpr Command kSchedStatsReportPart{.name = "sched stats report",
                                        .summary = "Show the recorded statistics of CPUs and scheduling domains",
                                        .options = kTracedInputRows<StatsOptions>,
                                        .since = Since::Ours,
                                        .run = entry<StatsOptions, confined<StatsOptions, stats_report>>};
constexpr Command kDiffPart{.name = "sched stats diff",
                            .summary = "Compare the statistics of two recordings",
                            .options = kForce,
                            .since = Since::Ours,
                            .run = entry<StatsOptions, stats_diff>};
constexpr Command kLivePart{.name = "sched stats live",
                            .summary = "Show statistics while a command runs, without a recording",
                            .options = kCpuRows,
                            .words_at = Words::StopAtFirst,
                            .since = Since::Ours,
                            .run = entry<StatsOptions, stats_live>};
constexpr const Command* kStatsParts[] = {&kSchedStatsRecordPart, &kSchedStatsReportPart, &kDiffPart, &kLivePart};

}  // namespace

constinit const Command kSchedStats{.name = "sched stats",
                                    .summary = "Scheduler statistics: record, report, diff, live",
                                    .options = kTracedInputRows<StatsOptions>,
                                    .parts = kStatsParts,
                                    .words_at = Words::StopAtFirst,
                                    .since = Since::Ours,
                                    .run = run_part};

}  // namespace peregrine::cmd
