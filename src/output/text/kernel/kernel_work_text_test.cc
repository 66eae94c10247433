#include "output/text/kernel/kernel_work_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/guest/guest_exits.h"
#include "analysis/work/cpu_usage.h"
#include "output/text/kernel/cpu_usage_text.h"
#include "output/text/kernel/guest_exits_text.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kWorkLine =
    " -----------------------------------------------------------------------------------------------------------------"
    "---------------\n";

WorkRow disk_interrupt() {
  return {.kind = WorkKind::Irq,
          .cpu = 3,
          .id = 24,
          .name = "nvme0q1",
          .count = 4,
          .total = 10'000'000,
          .most = 5'000'000,
          .most_from = 5'001'000'999,
          .most_until = 5'006'000'999};
}

std::string work_rows(const WorkSummary& work, const WorkTable& table = {}) {
  Sink out;
  print_work_rows(work, table, out);
  return out.take();
}

TEST(WorkRows, RuntimesAreSumsAndTimesAreSecondsWithSixPlaces) {
  EXPECT_EQ(work_rows({.rows = {disk_interrupt()}}),
            fmt::format("\n  Kwork Name                     | Cpu  | Total Runtime | Count     | Max runtime   | Max "
                        "runtime start   | Max runtime end     |\n"
                        "{0}  nvme0q1:24                     | 0003 |     10.000 ms |         4 |      5.000 ms |      "
                        "    5.001000 s |          5.006000 s |\n{0}\n",
                        kWorkLine));
}

TEST(WorkRows, DelaysAreAverages) {
  const std::string text = work_rows({.rows = {disk_interrupt()}}, {.sum = KernelWork::Sum::Delays});
  EXPECT_THAT(text, HasSubstr("| Avg delay     | Count     | Max delay     |"));
  EXPECT_THAT(text, HasSubstr("| 0003 |      2.500 ms |"));
  EXPECT_THAT(work_rows({.rows = {WorkRow{}}}, {.sum = KernelWork::Sum::Delays}), HasSubstr("| 0000 |      0.000 ms |"))
      << "of no run the average is 0";
}

TEST(WorkRows, NamesOutsideAsciiDoNotShiftTheNumbers) {
  WorkRow row = disk_interrupt();
  row.name = "größe";
  EXPECT_THAT(work_rows({.rows = {row}}), HasSubstr("  größe:24                       | 0003 |"));
}

TEST(WorkRows, NamesSayWhichKindOfWorkItIs) {
  WorkRow row = disk_interrupt();
  row.kind = WorkKind::Softirq;
  row.name = "NET_RX";
  row.id = 3;
  EXPECT_THAT(work_rows({.rows = {row}}), HasSubstr("\n  (s)NET_RX:3  "));
  row.kind = WorkKind::Workqueue;
  row.name = "flush_\x1b[2J";
  EXPECT_THAT(work_rows({.rows = {row}}), HasSubstr("\n  (w)flush_\\x1b[2J  ")) << "an item's address is no name";
  row.name = std::string(100, 'x');
  EXPECT_THAT(work_rows({.rows = {row}}), HasSubstr("\n  (w)" + row.name + " | 0003 |")) << "names are not cut";
}

TEST(WorkRows, TotalsAreOfAllRows) {
  const WorkSummary work{.rows = {disk_interrupt(), disk_interrupt()}, .span = 200'000'000};
  EXPECT_THAT(work_rows(work, {.totals = true}),
              HasSubstr(fmt::format("{0}  Total count            :         8\n"
                                    "  Total runtime   (msec) :    20.000 (10.000% load average)\n"
                                    "  Total time span (msec) :   200.000\n{0}\n",
                                    kWorkLine)));
  EXPECT_THAT(work_rows({}, {.totals = true}), HasSubstr("    0.000 (0.000% load average)\n")) << "no time passed";
}

TEST(WorkRows, SaysHowManyEventsHadNoPartner) {
  EXPECT_THAT(work_rows({.events = 80, .unpaired = {1, 2, 1}}),
              HasSubstr("  INFO: 5.000% skipped events (4 including 1 raise, 2 entry, 1 exit)\n\n"));
  EXPECT_THAT(work_rows({.events = 80}), Not(HasSubstr("INFO")));
}

std::string work_run(const WorkRun& run) {
  Sink out;
  WorkRunText(out).print(disk_interrupt(), run);
  return out.take();
}

TEST(WorkRun, HasADelayOnlyIfItWasRaised) {
  EXPECT_EQ(work_run({.from = 2'000'000'000, .until = 2'001'500'000}),
            "          2.000000           2.001500  [0003]  nvme0q1:24                           1.500             \n");
  EXPECT_EQ(work_run({.from = 2'000'000'000, .until = 2'001'500'000, .raised = 1'999'750'000}),
            "          2.000000           2.001500  [0003]  nvme0q1:24                           1.500       0.250 \n");
}

TEST(WorkRun, TitlesAreAboveTheColumns) {
  Sink out;
  WorkRunText(out).print_titles();
  EXPECT_EQ(out.take(),
            " Runtime start      Runtime end        Cpu     Kwork name                      Runtime     Delaytime \n"
            "                                               (TYPE)NAME:NUM                  (msec)      (msec)    \n"
            " -----------------  -----------------  ------  ------------------------------  ----------  ----------\n");
}

TEST(WorkRun, EndsWithTheInterruptedFunctions) {
  EXPECT_THAT(work_run({.raised = 0, .chain = {"do_idle", "evil\n", "start"}}),
              ::testing::EndsWith("      0.000   do_idle <- evil\\x0a <- start\n"));
}

std::string cpu_usage(const CpuUsageTable& usage) {
  Sink out;
  print_cpu_usage(usage, out);
  return out.take();
}

TEST(CpuUsage, BarsAreThirtyWideAndSharesOfTheirCpu) {
  const CpuUsageTable usage{
      .cpus = {{0, {.total = 10'000'000, .idle = 5'000'000, .irq = 1'000'000, .softirq = 500'000}},
               {12, {.total = 10'000'000, .idle = 0}}},
      .tasks = {{.tid = 0, .cpu = 0, .comm = "swapper", .runtime = 5'000'000},
                {.tid = 77, .comm = "load\t", .runtime = 10'000'000}}};
  EXPECT_EQ(cpu_usage(usage),
            "\nTotal  : 20.000 ms, 2 cpus\n"
            "%Cpu(s):  25.00% id,   5.00% hi,   2.50% si\n"
            "%Cpu0   [|||||||||||||||                  50.00%]\n"
            "%Cpu12  [||||||||||||||||||||||||||||||  100.00%]\n"
            "\n      PID    %CPU           RUNTIME  COMMAND\n"
            "  ------------------------------------------------------------\n"
            "        0   50.00          5.000 ms  [swapper/0]\n"
            "       77  100.00         10.000 ms  load\\x09\n\n");
}

TEST(CpuUsage, NothingHappenedWithoutTime) {
  EXPECT_EQ(cpu_usage({.cpus = {}, .tasks = {{.tid = 7, .comm = "load", .runtime = 5}}}),
            "\nTotal  : 0.000 ms, 0 cpus\n"
            "%Cpu(s):   0.00% id,   0.00% hi,   0.00% si\n"
            "\n      PID    %CPU           RUNTIME  COMMAND\n"
            "  ------------------------------------------------------------\n"
            "        7    0.00          0.000 ms  load\n\n");
}

TEST(GuestRows, SharesAreOfAllRows) {
  GuestRow halted{.name = "HLT", .total = 7500, .least = 1500, .most = 3500};
  for (const double ns : {1500.0, 2500.0, 3500.0}) halted.times.add(ns);
  GuestRow written{.name = "0xfee00300:W\n", .total = 2500, .least = 2500, .most = 2500};
  written.times.add(2500);
  Sink out;
  print_guest_rows(std::vector{halted, written}, GuestEvent::Exit, "all VMs, all VCPUs", out);
  EXPECT_EQ(out.take(),
            "\n\nAnalyze events for all VMs, all VCPUs:\n\n"
            "             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time \n\n"
            "                 HLT          3    75.00%    75.00%      1.50us      3.50us      2.50us ( +-  23.09% )\n"
            "    0xfee00300:W\\x0a          1    25.00%    25.00%      2.50us      2.50us      2.50us ( +-   0.00% )\n"
            "\nTotal Samples:4, Total events handled time:10.00us.\n\n");
}

TEST(GuestRows, WithoutRowsTotalsAreZero) {
  Sink out;
  print_guest_rows({}, GuestEvent::IoPort, "VM 7, all VCPUs", out);
  EXPECT_EQ(out.take(),
            "\n\nAnalyze events for VM 7, all VCPUs:\n\n"
            "      IO Port Access    Samples  Samples%     Time%    Min Time    Max Time         Avg time \n\n"
            "\nTotal Samples:0, Total events handled time:0.00us.\n\n");
  print_guest_rows({}, GuestEvent::Mmio, "", out);
  EXPECT_THAT(out.take(), HasSubstr("         MMIO Access "));
}

}  // namespace
}  // namespace peregrine
