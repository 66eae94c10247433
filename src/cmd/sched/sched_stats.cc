// sched stats: the scheduler's own statistics (/proc/schedstat) of the time that a command runs.
#include "analysis/sched/schedstat_change.h"
#include "base/text/counted.h"
#include "cli/frame/cpu_row.h"
#include "cli/frame/version.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "output/text/sched/schedstat_text.h"
#include "pipeline/counting/schedstat_writer.h"
#include "session/measured_run.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct StatsOptions {
  TracedInput input;
  std::string cpus, output = std::string(kDefaultInput);
};

constexpr std::array kCpuRows{
    kCpuRow<&StatsOptions::cpus>,
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

// The readings of a measured run, to `use`. The kernel counts only in between: its switch goes back at the end.
Result<> take_readings(const std::function<Result<>(const SchedCounters&)>& use, Invocation& call) {
  const Root root;
  std::optional<SchedStatsSwitch> counting;
  const auto read = [&]() -> Result<> {
    const auto reading = read_sched_counters(root);
    if (!reading) return std::unexpected(reading.error());
    return use(*reading);
  };
  const auto begin = [&]() -> Result<> {
    auto engaged = SchedStatsSwitch::engage(root);
    if (!engaged) return std::unexpected(std::move(engaged.error()));
    counting.emplace(std::move(*engaged));
    return read();
  };
  return run_measured(call.words, call.messages, begin, read);
}

Result<std::vector<u32>> chosen_cpus(const StatsOptions& options) {
  return numbers_of(options.cpus, "-C", kHighestCpu);
}

Result<int> stats_record(StatsOptions& options, Invocation& call) {
  const auto cpus = chosen_cpus(options);
  if (!cpus) return std::unexpected(cpus.error());
  PEREGRINE_TRY(read_sched_counters(Root()));  // before a file is made
  auto writer = SchedstatWriter::create(Root(), options.output,
                                        {.version = std::string(kSpeaks), .command_line = call.argv, .clockid = {}});
  if (!writer) return std::unexpected(std::move(writer.error()));
  std::vector<SchedCounters> readings;  // written at the end: a command that cannot be started leaves no file
  const auto keep = [&](const SchedCounters& reading) -> Result<> {
    readings.push_back(reading);
    return {};
  };
  PEREGRINE_TRY(take_readings(keep, call));
  for (const SchedCounters& reading : readings) PEREGRINE_TRY(writer->add_reading(reading, *cpus));
  PEREGRINE_TRY(writer->finish());
  call.messages.verbatim(fmt::format("[ perf sched stats: Wrote samples to {} ]\n", options.output));
  return 0;
}

Result<> check_change(const SchedstatChange& change, std::string_view source) {
  if (!change.cpus.empty()) return {};
  return std::unexpected(
      Error{ErrorKind::Unsupported, fmt::format("{} has no scheduler statistics of a span of time", source)}.with_hint(
          "record with `sched stats record`"));
}

// Nothing: the recording could not be opened, which was said.
Result<std::optional<SchedstatChange>> recorded_change(const std::string& path, bool force, Invocation& call) {
  auto opened = open_recording(path, force);
  if (!opened) {
    say_open_error(call, path, opened.error());
    return std::nullopt;
  }
  SchedstatSeries series;
  u64 refused = 0;
  abi::RecordView record;
  for (;;) {
    auto more = opened->next(record);
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) break;
    const auto decoded = abi::decode_session_record(record);
    if (!decoded || !*decoded) continue;  // the reader counts what is malformed
    const auto* line = std::get_if<abi::SchedstatRecord>(&**decoded);
    if (line != nullptr && !series.add(*line)) ++refused;
  }
  if (refused != 0)
    call.messages.warning(fmt::format("{} too short, or of a version that is not supported",
                                      counted(refused, "record was skipped: it is", "records were skipped: they are")));
  const auto& domains = opened->header().features.scheduling_domains;
  SchedstatChange change = series.change(domains ? &*domains : nullptr);
  PEREGRINE_TRY(check_change(change, recording_name(path)));
  return change;
}

Result<int> stats_report(StatsOptions& options, Invocation& call) {
  if (options.input.dump) return dump_traced(options.input, call);
  const auto change = recorded_change(options.input.path, options.input.force, call);
  if (!change) return std::unexpected(change.error());
  if (!*change) return kNotOpened;
  print_schedstats(**change, call.out);
  return 0;
}

// As diff has them: none, the older one of two recordings of one place, or both by name.
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
  if (call.words.size() > 2) return fail(ErrorKind::Usage, "two recordings are compared, not {}", call.words.size());
  const auto [old_path, new_path] = compared_files(call);
  const auto sandbox = enter_sandbox({.inputs = {old_path, new_path}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  return compare_recordings(options, call);
}

Result<int> stats_live(StatsOptions& options, Invocation& call) {
  const auto cpus = chosen_cpus(options);
  if (!cpus) return std::unexpected(cpus.error());
  SchedstatSeries series;
  data::SchedulingDomains domains;
  const auto add = [&](const SchedCounters& reading) -> Result<> {
    domains = scheduling_domains(reading);
    for (const abi::SchedstatRecord& record : schedstat_records(reading, *cpus)) series.add(record);
    return {};
  };
  PEREGRINE_TRY(take_readings(add, call));
  const SchedstatChange change = series.change(&domains);
  PEREGRINE_TRY(check_change(change, "/proc/schedstat"));
  print_schedstats(change, call.out);
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
