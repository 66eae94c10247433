// Each option of record sets a member of the request, and its negation resets it.
#include "cmd/record/record_options.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "capture/target/target.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/test_options.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/recording.h"

namespace peregrine::cmd {
namespace {

using RecordWords = std::vector<std::string>;

RecordCommandOptions recorded_by(const RecordWords& words) {
  auto options = options_of<RecordCommandOptions>(kRecord, words);
  EXPECT_TRUE(options) << words.front() << ": " << options.error().message;
  return options ? std::move(*options) : RecordCommandOptions();
}
std::string misread_by(const RecordWords& words) { return refusal_of<RecordCommandOptions>(kRecord, words); }

TEST(RecordOptions, NothingIsRequestedUnlessSaid) {
  RecordCommandOptions options = recorded_by({});
  const RecordingRequest& recording = options.request.recording;
  EXPECT_FALSE(recording.config.sampling.frequency);
  EXPECT_FALSE(recording.config.sampling.period);
  EXPECT_FALSE(recording.config.sampling.inherit) << "-t decides, unless -i does";
  EXPECT_TRUE(recording.config.side_band.bpf_events);
  EXPECT_FALSE(options.callgraph().enabled());
  EXPECT_TRUE(recording.run.schedule.at_once());
  EXPECT_EQ(recording.output.write_blocks, 0u);
  EXPECT_EQ(recording.output.compression_level, 0u);
}

TEST(RecordOptions, TargetsAreKeptAsText) {
  const TargetRequest target = recorded_by({"-p", "1,22", "-t33", "-C", "0-3,8", "-a", "--per-thread"}).request.target;
  EXPECT_EQ(target.pids, "1,22");
  EXPECT_EQ(target.tids, "33");
  EXPECT_EQ(target.cpus, "0-3,8");
  EXPECT_TRUE(target.system_wide);
  EXPECT_TRUE(target.per_thread);
  EXPECT_EQ(recorded_by({"-p1", "-p2"}).request.target.pids, "2") << "the last one counts";
  EXPECT_EQ(recorded_by({"-p1", "--no-pid"}).request.target.pids, "");
}

TEST(RecordOptions, EachFieldHasASwitch) {
  struct Case {
    const char* word;
    bool SampleFieldRequest::* field;
  };
  for (const Case& test : {Case{"-d", &SampleFieldRequest::addresses},
                           {"--phys-data", &SampleFieldRequest::physical_addresses},
                           {"--data-page-size", &SampleFieldRequest::data_page_size},
                           {"--code-page-size", &SampleFieldRequest::code_page_size},
                           {"--sample-mem-info", &SampleFieldRequest::data_source},
                           {"-W", &SampleFieldRequest::weight},
                           {"--transaction", &SampleFieldRequest::transaction},
                           {"--sample-cpu", &SampleFieldRequest::cpu},
                           {"--sample-identifier", &SampleFieldRequest::identifier},
                           {"-R", &SampleFieldRequest::raw},
                           {"-s", &SampleFieldRequest::thread_counts},
                           {"--running-time", &SampleFieldRequest::running_time}}) {
    SCOPED_TRACE(test.word);
    EXPECT_FALSE(recorded_by({}).fields().*test.field);
    EXPECT_TRUE(recorded_by({test.word}).fields().*test.field);
  }
}

// linux-perf has its own rules for recording times and periods unless the user says yes or no.
TEST(RecordOptions, TimesAndPeriodsMayBeLeftToTheRules) {
  EXPECT_EQ(recorded_by({}).fields().timestamps, std::nullopt);
  EXPECT_EQ(recorded_by({"-T"}).fields().timestamps, true);
  EXPECT_EQ(recorded_by({"--no-timestamp"}).fields().timestamps, false);
  EXPECT_EQ(recorded_by({}).fields().period, std::nullopt);
  EXPECT_EQ(recorded_by({"-P"}).fields().period, true);
  EXPECT_EQ(recorded_by({"-P", "--no-period"}).fields().period, false);
}

TEST(RecordOptions, RatesAreCountsOrFrequencies) {
  EXPECT_EQ(recorded_by({"-c", "1000"}).sampling().period, 1000u);
  EXPECT_EQ(recorded_by({"-c", "0x10"}).sampling().period, 16u) << "hexadecimal, as in linux-perf";
  EXPECT_EQ(recorded_by({"-c", "1000", "--no-count"}).sampling().period, std::nullopt);
  EXPECT_EQ(misread_by({"-c", "often"}), "switch `c' expects a numerical value");
  EXPECT_EQ(misread_by({"--count", "often"}), "option `count' expects a numerical value");
  EXPECT_EQ(misread_by({"-c", "18446744073709551616"}), "switch `c' expects a numerical value") << "2^64";
  EXPECT_EQ(recorded_by({"-c", "18446744073709551615"}).sampling().period, ~u64{0});
}

TEST(RecordOptions, ChildrenAreFollowedUnlessForbidden) {
  EXPECT_EQ(recorded_by({"-i"}).sampling().inherit, false);
  EXPECT_EQ(recorded_by({"--no-inherit"}).sampling().inherit, false);
  EXPECT_EQ(recorded_by({"--inherit"}).sampling().inherit, true) << "also with -t";
}

TEST(RecordOptions, SideBandRecordsAreAdded) {
  struct Case {
    const char* word;
    bool SideBandRequest::* records;
  };
  for (const Case& test : {Case{"--namespaces", &SideBandRequest::namespaces},
                           {"--all-cgroups", &SideBandRequest::cgroups},
                           {"--switch-events", &SideBandRequest::switch_events},
                           {"--buildid-mmap", &SideBandRequest::build_ids}}) {
    EXPECT_TRUE(recorded_by({test.word}).request.recording.config.side_band.*test.records) << test.word;
    EXPECT_FALSE(recorded_by({}).request.recording.config.side_band.*test.records) << test.word;
  }
  EXPECT_FALSE(recorded_by({"--no-bpf-event"}).request.recording.config.side_band.bpf_events);
  EXPECT_TRUE(recorded_by({"--no-bpf-event", "--bpf-event"}).request.recording.config.side_band.bpf_events);
}

TEST(RecordOptions, ClocksAreNamed) {
  struct Case {
    const char* name;
    int clock;
  };
  for (const Case& test : {Case{"monotonic", CLOCK_MONOTONIC},
                           {"mono", CLOCK_MONOTONIC},
                           {"monotonic_raw", CLOCK_MONOTONIC_RAW},
                           {"raw", CLOCK_MONOTONIC_RAW},
                           {"realtime", CLOCK_REALTIME},
                           {"CLOCK_BOOTTIME", CLOCK_BOOTTIME},
                           {"tai", CLOCK_TAI}})
    EXPECT_EQ(recorded_by({"-k", test.name}).sampling().clockid, test.clock) << test.name;
  EXPECT_EQ(misread_by({"-k", "sundial"}), "unknown clockid sundial");
}

TEST(RecordOptions, DurationsAreSecondsWithAFraction) {
  using std::chrono::milliseconds;
  const auto duration = [](const char* text) {
    return recorded_by({"--duration", text}).request.recording.run.duration;
  };
  EXPECT_EQ(duration("10"), milliseconds(10'000));
  EXPECT_EQ(duration("0.25"), milliseconds(250));
  EXPECT_EQ(duration("1e9"), milliseconds(1'000'000'000'000));
  for (const char* wrong : {"", "0", "-1", "soon", "10s", "1e10", "nan", "inf"})
    EXPECT_EQ(misread_by({"--duration", wrong}), "option `duration' expects a number of seconds") << wrong;
}

TEST(RecordOptions, WaitsHaveAThresholdInMilliseconds) {
  const auto threshold = [](const RecordWords& words) {
    return recorded_by(words).request.recording.run.off_cpu_threshold;
  };
  EXPECT_EQ(threshold({"--off-cpu-thresh", "500"}), 500'000'000u);
  EXPECT_EQ(threshold({"--off-cpu-thresh", "1000000000"}), u64{1'000'000'000'000'000}) << "does not wrap";
  for (const char* wrong : {"", "-1", "1.5", "1000000001", "18446744073709551615"})
    EXPECT_EQ(misread_by({"--off-cpu-thresh", wrong}), "option `off-cpu-thresh' expects a number of milliseconds")
        << wrong;
}

TEST(RecordOptions, CompressionAndBackgroundWritesHaveADefault) {
  const auto output = [](const RecordWords& words) { return recorded_by(words).request.recording.output; };
  EXPECT_EQ(output({"-z"}).compression_level, 1u);
  EXPECT_EQ(output({"-z19"}).compression_level, 19u);
  EXPECT_EQ(output({"--compression-level=22"}).compression_level, 22u);
  EXPECT_EQ(output({"--aio"}).write_blocks, 1u);
  EXPECT_EQ(output({"--aio=4"}).write_blocks, 4u);
  EXPECT_EQ(output({"-z19", "--no-compression-level"}).compression_level, 0u);
}

TEST(RecordOptions, FilesAreSwitchedByEventsAsWell) {
  const auto switching = [](const RecordWords& words) { return recorded_by(words).request.recording.switching; };
  const auto by_event = switching({"--switch-output-event", "cpu-clock"});
  ASSERT_TRUE(by_event.when) << "an event is a reason to switch";
  EXPECT_TRUE(by_event.when->by_signal);
  EXPECT_EQ(by_event.events.size(), 1u);
  EXPECT_TRUE(switching({"--switch-output-event=cpu-clock", "--no-switch-output-event"}).events.empty());
  EXPECT_EQ(switching({"--switch-output", "--switch-max-files", "5"}).max_files, 5u);
  EXPECT_FALSE(switching({"--switch-output=1G", "--switch-output-event", "cpu-clock"}).when->by_signal)
      << "a chosen condition stays";
}

TEST(RecordOptions, ThreadsAreOnePerCpuUnlessSaid) {
  const auto threads = [](const RecordWords& words) { return recorded_by(words).request.recording.rings.threads; };
  EXPECT_EQ(threads({}), "");
  EXPECT_EQ(threads({"--threads"}), "cpu");
  EXPECT_EQ(threads({"--threads=core"}), "core");
  EXPECT_EQ(threads({"--threads=core", "--no-threads"}), "");
}

TEST(RecordOptions, DisksAreSyncedOnRequest) {
  const auto sync = [](const RecordWords& words) { return recorded_by(words).request.recording.output.disk_sync; };
  EXPECT_EQ(sync({"--sync"}), DiskSyncing::EverySecond);
  EXPECT_EQ(sync({"--no-sync"}), DiskSyncing::Never);
  EXPECT_NE(sync({}), DiskSyncing::EverySecond);
}

TEST(RecordOptions, PagesWantChains) {
  const RecordCommandOptions page = recorded_by({"--html", "page.html"});
  EXPECT_EQ(page.html, "page.html");
  EXPECT_TRUE(recorded_by({"--html", "page.html"}).callgraph().enabled());
  EXPECT_EQ(recorded_by({"--call-graph", "lbr", "--html", "p"}).callgraph().mode, CallgraphMode::Lbr);
  EXPECT_EQ(recorded_by({"--html", "page.html", "--no-html"}).html, "");
}

TEST(RecordOptions, FilterSetupIsPinOrUnpin) {
  EXPECT_EQ(recorded_by({"--setup-filter", "pin"}).filter_setup, "pin");
  EXPECT_EQ(recorded_by({"--setup-filter", "unpin"}).filter_setup, "unpin");
  EXPECT_EQ(recorded_by({"--setup-filter=pin", "--no-setup-filter"}).filter_setup, "");
  EXPECT_EQ(misread_by({"--setup-filter", "glue"}), "invalid --setup-filter 'glue': must be pin or unpin");
}

TEST(RecordOptions, ProbesAddUp) {
  EXPECT_EQ(recorded_by({"--probe", "malloc", "--probe", "free%return"}).probes,
            (std::vector<std::string>{"malloc", "free%return"}));
  EXPECT_TRUE(recorded_by({"--probe", "malloc", "--no-probe"}).probes.empty());
}

TEST(RecordOptions, VmlinuxMustBeReadable) {
  EXPECT_EQ(misread_by({"--vmlinux", "/nonexistent/vmlinux"}), "Invalid file: /nonexistent/vmlinux");
}

TEST(RecordOptions, TheCommandKeepsItsOwnOptions) {
  RecordCommandOptions options;
  const auto parsed = parse_options(kRecord.options, kRecord.words_at, RecordWords{"-g", "ls", "-l", "--all-cpus"},
                                    &options, kOwner<RecordCommandOptions>);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->words, (RecordWords{"ls", "-l", "--all-cpus"}));
  EXPECT_FALSE(options.request.target.system_wide);
}

// A script that appends "--no-X" to a command line gets the same result as without X.
TEST(RecordOptions, NegationsTakeChoicesBack) {
  const RecordWords all{"-k",
                        "mono",
                        "--no-clockid",
                        "-u",
                        "0",
                        "--no-uid",
                        "-D",
                        "500",
                        "--no-delay",
                        "--duration",
                        "5",
                        "--no-duration",
                        "--off-cpu-thresh",
                        "7",
                        "--no-off-cpu-thresh"};
  const RecordCommandOptions options = recorded_by(all);
  const RunRequest& run = options.request.recording.run;
  EXPECT_EQ(options.request.recording.config.sampling.clockid, std::nullopt);
  EXPECT_EQ(options.request.target.user, "");
  EXPECT_EQ(options.request.recording.config.sampling.initial_delay_ms, 0);
  EXPECT_TRUE(run.schedule.at_once());
  EXPECT_EQ(run.duration, std::nullopt);
  EXPECT_EQ(run.off_cpu_threshold, RunRequest().off_cpu_threshold);
}

TEST(RecordOptions, RatesCannotBeNegated) {
  EXPECT_EQ(misread_by({"--no-freq"}), "Invalid frequency \"\"") << "as in linux-perf";
  EXPECT_EQ(misread_by({"--no-mmap-pages"}), "Invalid argument for --mmap_pages/-m");
}

}  // namespace
}  // namespace peregrine::cmd
