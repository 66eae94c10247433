// The options of top that set the recording, the report, or the settings of the screen.
#include "cmd/top/top_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cmd/command_table.h"
#include "cmd/test_options.h"
#include "event/config/callgraph.h"
#include "pipeline/recording/recording.h"
#include "session/report/report_request.h"

namespace peregrine::cmd {
namespace {

using TopWords = std::vector<std::string>;

TopOptions top_by(const TopWords& words, std::vector<Setting> settings = {}) {
  auto options = options_of<TopOptions>(kTop, words, std::move(settings));
  EXPECT_TRUE(options) << options.error().message;
  return options ? std::move(*options) : TopOptions();
}
std::string top_refusal(const TopWords& words) { return refusal_of<TopOptions>(kTop, words); }

TEST(TopOptionsTest, RefreshesEveryTwoSecondsUnlessSaid) {
  EXPECT_EQ(top_by({}).settings.delay, 2u);
  EXPECT_EQ(top_by({"-d", "5"}).settings.delay, 5u);
  EXPECT_EQ(top_by({"-d5", "--no-delay"}).settings.delay, 2u);
  EXPECT_EQ(top_refusal({"-d", "x"}), "switch `d' expects a numerical value");
  EXPECT_EQ(top_refusal({"--delay", "-1"}), "option `delay' expects a numerical value");
}

TEST(TopOptionsTest, RowsAreLimited) {
  const LiveSettings settings = top_by({"-E", "20", "-f", "100", "-K", "-U", "-z"}).settings;
  EXPECT_EQ(settings.entries, 20u);
  EXPECT_EQ(settings.least_samples, 100u);
  EXPECT_TRUE(settings.hide_kernel && settings.hide_user && settings.zero);
  EXPECT_EQ(top_by({"-E20", "--no-entries"}).settings.entries, 0u) << "as many as fit";
  EXPECT_EQ(top_by({"--sym-annotate", "main"}).settings.annotated, "main");
}

TEST(TopOptionsTest, LimitsAreOfRowsAndOfBranches) {
  const ReportRequest limited = top_by({"--percent-limit", "2"}).report.request;
  EXPECT_DOUBLE_EQ(limited.look.percent_limit, 2);
  EXPECT_DOUBLE_EQ(limited.chains.graph.least_percent, 2);
  EXPECT_EQ(top_refusal({"--percent-limit", "many"}), "invalid --percent-limit 'many': must be a percentage");
}

TEST(TopOptionsTest, LettersDifferFromThoseOfRecord) {
  const TopOptions options = top_by({"-s", "comm", "-n", "-p", "12", "-r", "5", "-w", "0,8", "-M", "intel"});
  EXPECT_EQ(options.report.request.grouping.sort, "comm") << "of record, -s is --stat";
  EXPECT_TRUE(options.report.request.grouping.show_samples) << "of record, -n is --no-samples";
  EXPECT_FALSE(options.record.request.recording.config.sampling.no_samples);
  EXPECT_EQ(options.record.request.target.pids, "12");
  EXPECT_EQ(options.record.request.recording.rings.real_time_priority, 5);
  EXPECT_EQ(options.report.request.look.column_widths, "0,8");
  EXPECT_EQ(options.disassembler_style, "intel");
}

TEST(TopOptionsTest, SharesWithRecordWhatIsSampled) {
  TopOptions options = top_by({"-F", "99", "-c", "1000", "-i", "-j", "any_call", "--namespaces", "--all-cgroups",
                               "--no-bpf-event", "--num-thread-synthesize", "3", "--proc-map-timeout", "500"});
  EXPECT_EQ(options.record.sampling().frequency, 99u);
  EXPECT_EQ(options.record.sampling().period, 1000u);
  EXPECT_EQ(options.record.sampling().inherit, false);
  EXPECT_EQ(options.record.fields().branch_type, 0x10u) << "PERF_SAMPLE_BRANCH_ANY_CALL";
  const RecordingRequest& recording = options.record.request.recording;
  EXPECT_TRUE(recording.config.side_band.namespaces && recording.config.side_band.cgroups);
  EXPECT_FALSE(recording.config.side_band.bpf_events);
  EXPECT_EQ(recording.synthesis.threads, 3u);
  EXPECT_EQ(recording.synthesis.map_timeout_ms, 500u);
}

TEST(TopOptionsTest, SharesWithReportWhatIsShown) {
  const TopOptions options = top_by({"--dsos",
                                     "libc",
                                     "--comms",
                                     "ls,cat",
                                     "--symbols",
                                     "main",
                                     "-H",
                                     "--raw-trace",
                                     "--max-stack",
                                     "7",
                                     "--ignore-callees",
                                     "^x",
                                     "--switch-on",
                                     "a",
                                     "--switch-off",
                                     "b",
                                     "--show-on-off-events",
                                     "--fields",
                                     "overhead,sym",
                                     "--stdio",
                                     "-v"});
  const ReportRequest& request = options.report.request;
  EXPECT_EQ(request.selection.dsos, "libc");
  EXPECT_EQ(request.selection.comms, "ls,cat");
  EXPECT_EQ(request.selection.symbols, "main");
  EXPECT_TRUE(request.grouping.hierarchy && request.grouping.raw_trace);
  EXPECT_EQ(request.grouping.fields, "overhead,sym");
  EXPECT_EQ(request.chains.max_stack, 7u);
  EXPECT_EQ(request.chains.ignore_callees, "^x");
  EXPECT_EQ(options.report.switching.on, "a");
  EXPECT_EQ(options.report.switching.off, "b");
  EXPECT_TRUE(options.report.switching.show);
  EXPECT_TRUE(options.report.stdio);
  EXPECT_EQ(options.report.verbose, 1);
}

TEST(TopOptionsTest, TakesBackWhatRecordAndReportTakeBack) {
  EXPECT_EQ(top_by({"-u", "0", "--no-uid"}).record.request.target.user, "");
  EXPECT_FALSE(top_by({"--percentage", "relative", "--no-percentage"}).report.request.grouping.relative);
  EXPECT_TRUE(top_by({"--percentage", "relative"}).report.request.grouping.relative);
}

TEST(TopOptionsTest, CodeIsShownWithItsSource) {
  EXPECT_TRUE(top_by({}).source);
  EXPECT_FALSE(top_by({"--no-source"}).source);
  EXPECT_TRUE(top_by({"--asm-raw"}).code_bytes);
  EXPECT_EQ(top_by({"--objdump", "/bin/o"}).objdump, "/bin/o");
  EXPECT_EQ(top_by({"--prefix", "/src", "--prefix-strip", "2"}).report.source_prefix_strip, 2u);
}

TEST(TopOptionsTest, ChainsOfPerfconfigAreThoseOfTop) {
  // record.call-graph applies to both; in top, top.call-graph takes precedence.
  const std::vector<Setting> both{{"record.call-graph", "lbr"}, {"top.call-graph", "dwarf,4096"}};
  EXPECT_EQ(top_by({"-g"}, both).record.callgraph().mode, CallgraphMode::Dwarf);
  EXPECT_EQ(top_by({"-g"}, {both[0]}).record.callgraph().mode, CallgraphMode::Lbr);
  EXPECT_FALSE(top_by({}, both).record.callgraph().enabled()) << "only -g asks for chains";
}

TEST(TopOptionsTest, ProgramsAreAcceptedAndIgnored) {
  EXPECT_EQ(top_refusal({"--addr2line", "/nonexistent"}), "accepted");
  EXPECT_EQ(top_refusal({"-f", "1", "--force", "--ignore-vmlinux", "-D"}), "accepted");
  EXPECT_EQ(top_refusal({"-k", "/nonexistent"}), "Invalid file: /nonexistent");
}

}  // namespace
}  // namespace peregrine::cmd
