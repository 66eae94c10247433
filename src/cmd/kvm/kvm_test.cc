// `kvm`: which recordings and sides its options select, and the output of `kvm stat report` for a small recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cmd/command_table.h"
#include "cmd/kvm/kvm_parts.h"
#include "cmd/test_options.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine::cmd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Result<KvmOptions> guests_of(const std::vector<std::string>& arguments) {
  return options_of<KvmOptions>(kKvm, arguments);
}

TEST(KvmChoice, FilesAreNamedByTheirSides) {
  struct Case {
    std::vector<std::string> arguments;
    const char* file;
  };
  for (const Case& test :
       {Case{{}, "perf.data.guest"}, Case{{"--guest"}, "perf.data.guest"}, Case{{"--host"}, "perf.data.kvm"},
        Case{{"--host", "--guest"}, "perf.data.kvm"}, Case{{"--host", "--no-guest"}, "perf.data.host"},
        Case{{"--no-guest", "--host"}, "perf.data.host"}, Case{{"--host", "--no-host"}, "perf.data.guest"}})
    EXPECT_EQ(guests_of(test.arguments)->default_file(), test.file) << ::testing::PrintToString(test.arguments);
}

TEST(KvmChoice, GuestsHaveFilesOfTheirOwn) {
  const auto options = guests_of({"--guestkallsyms", "k", "--guestmodules=m", "--guestmount", "/mnt/guests",
                                  "--guestvmlinux", "v", "--guest-code", "-i", "in", "-o", "out"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->guests.places.kallsyms, "k");
  EXPECT_EQ(options->guests.places.modules, "m");
  EXPECT_EQ(options->guests.places.mount, "/mnt/guests");
  EXPECT_EQ(options->guests.places.vmlinux, "v");
  EXPECT_TRUE(options->guest_code);
  EXPECT_EQ(options->input.path, "in");
  EXPECT_EQ(options->output, "out");
}

// A command that shows the settings it is called with.
Result<int> show_guest_settings(Invocation& call) {
  for (const char* key : {"guest.sides", "guest.kallsyms", "guest.mount"})
    call.out.append(key).append("=").append(call.config.text(key, "unset")).append("\n");
  for (const std::string& word : call.arguments) call.out.append("[" + word + "]");
  return 0;
}
constexpr Command kShowsSettings{.name = "shows", .summary = "settings", .run = show_guest_settings};

std::string passed_on(const std::vector<std::string>& arguments, std::vector<std::string> words, std::string& said) {
  static std::vector<std::string> handed;
  static KvmOptions options;
  handed = std::move(words);
  options = *guests_of(arguments);
  constexpr static Command kPasses{.name = "kvm", .summary = "passes on", .run = [](Invocation& call) {
                                     return run_for_guests(kShowsSettings, handed, options, call);
                                   }};
  const Called call = called(kPasses, {});
  said = call.said;
  return call.printed;
}

TEST(KvmChoice, OtherCommandsGetTheSidesAsSettings) {
  std::string said;
  EXPECT_EQ(passed_on({"--host", "--guestkallsyms", "k"}, {"--input=perf.data.kvm", "-n"}, said),
            "guest.sides=host,guest\nguest.kallsyms=k\nguest.mount=unset\n[--input=perf.data.kvm][-n]");
  EXPECT_EQ(said, "");
  EXPECT_EQ(passed_on({"--guest-code", "--guestmount", "/mnt"}, {}, said),
            "guest.sides=guest\nguest.kallsyms=unset\nguest.mount=/mnt\n");
  EXPECT_EQ(said, "perf: --guest-code is ignored: guest code is not resolved\n");
}

// Two halts of 100 and 300 us and one page fault of 10 us, on VCPU 0 of process 5.
support::TracepointRecording exits_recording() {
  support::TracepointRecording recording;
  recording.event("kvm:kvm_entry", {"vcpu_id"});
  recording.event("kvm:kvm_exit", {"exit_reason", "isa", "vcpu_id"},
                  R"("%s", __print_symbolic(REC->exit_reason, { 12, "HLT" }, { 48, "EPT" }))");
  const auto exit = [&](u64 from, u64 until, u64 reason) {
    recording.hit("kvm:kvm_exit", {.time = from * 1000, .pid = 5}, {reason, 1, 0});
    recording.hit("kvm:kvm_entry", {.time = until * 1000, .pid = 5}, {0});
  };
  exit(1000, 1100, 12);
  exit(2000, 2300, 12);
  exit(3000, 3010, 48);
  return recording;
}

class KvmStat : public ::testing::Test {
 protected:
  Called report(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"stat", "report", "-i", path_});
    return called(kKvm, std::move(arguments));
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, exits_recording());
};

TEST_F(KvmStat, SumsExitsByReason) {
  const Called call = report({});
  EXPECT_EQ(call.code, 0) << call.error.message << call.said;
  EXPECT_THAT(call.printed, HasSubstr("Analyze events for all VMs, all VCPUs:\n"));
  EXPECT_THAT(call.printed, HasSubstr("                 HLT          2    66.67%    97.56%    100.00us    300.00us"
                                      "    200.00us ( +-  50.00% )\n"));
  EXPECT_THAT(call.printed, HasSubstr("                 EPT          1    33.33%     2.44%     10.00us     10.00us"
                                      "     10.00us ( +-   0.00% )\n"));
  EXPECT_THAT(call.printed, HasSubstr("Total Samples:3, Total events handled time:410.00us.\n"));
}

TEST_F(KvmStat, ExitsAreChosenByProcessAndVcpu) {
  EXPECT_THAT(report({"-p", "5", "--vcpu", "0"}).printed, HasSubstr("Analyze events for pid(s) 5, VCPU 0:\n"));
  EXPECT_THAT(report({"-p", "5"}).printed, HasSubstr("Total Samples:3,"));
  EXPECT_THAT(report({"-p", "6"}).printed, Not(HasSubstr("HLT")));
  EXPECT_THAT(report({"--vcpu", "1"}).printed, Not(HasSubstr("HLT")));
}

TEST_F(KvmStat, ChoicesAreChecked) {
  EXPECT_EQ(report({"--event", "what"}).error.message,
            "unknown guest event 'what': must be one of vmexit, mmio, ioport");
  EXPECT_EQ(report({"-k", "what"}).error.message, "Unknown compare key: `what': must be sample or time");
  EXPECT_THAT(report({"-p", "x"}).error.message, StartsWith("-p: "));
  EXPECT_EQ(report({"--vcpu", "one"}).error.message, "option `vcpu' expects a numerical value");
}

TEST_F(KvmStat, MissingRecordingsAreReported) {
  const Called call = called(kKvm, {"stat", "report", "-i", folder_.path("none")});
  EXPECT_EQ(call.code, 255);
  EXPECT_THAT(call.said, StartsWith("failed to open " + folder_.path("none") + ": No such file or directory"));
}

}  // namespace
}  // namespace peregrine::cmd
