// kvm: record, report, top, diff, buildid-list and stat for KVM guests, and what guests cost their host.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/frame/parts.h"
#include "cli/frame/standard_pipe.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/kvm/kvm_parts.h"
#include "cmd/recording/guest_settings.h"

namespace peregrine::cmd {

namespace {

constexpr std::array kGuestFiles{kGuestInput, kGuestOutput, kGuestVerbose};
constexpr auto kKvmOptions = joined_rows(kGuestFiles, kGuestRows);

// `file`: the option for the other command's file. The user's own option comes later and takes precedence.
Result<int> pass_on(const Command& other, std::string_view file, Invocation& call) {
  KvmOptions options;
  const auto rest = take_own_options(call, &options, kOwner<KvmOptions>);
  if (!rest) return std::unexpected(rest.error());
  std::vector<std::string> words;
  if (!file.empty()) {
    const bool piped = file == "input" && is_pipe(STDIN_FILENO);
    words.push_back(fmt::format("--{}={}", file, piped ? "-" : options.default_file()));
  }
  words.insert(words.end(), rest->begin(), rest->end());
  return run_for_guests(other, std::move(words), options, call);
}

// Without guests, the files that diff compares by default are right.
Result<int> diff_guests(Invocation& call) {
  KvmOptions options;
  auto rest = take_own_options(call, &options, kOwner<KvmOptions>);
  if (!rest) return std::unexpected(std::move(rest.error()));
  if (options.guests.wants_guests() && (rest->empty() || rest->back().starts_with('-')))
    rest->insert(rest->end(), {"--", "perf.data.host", "perf.data.guest"});
  return run_for_guests(kDiff, std::move(*rest), options, call);
}

Result<int> record_guests(Invocation& call) { return pass_on(kRecord, "output", call); }
Result<int> report_guests(Invocation& call) { return pass_on(kReport, "input", call); }
Result<int> watch_guests(Invocation& call) { return pass_on(kTop, "", call); }
Result<int> list_build_ids(Invocation& call) { return pass_on(kBuildidList, "input", call); }

constexpr const Command* kKvmParts[] = {&kKvmRecord, &kKvmReport, &kKvmTop, &kKvmDiff, &kKvmBuildidList, &kKvmStat};
constexpr std::string_view kKvmUsage[] = {
    "[<options>] {record|report|top|diff|buildid-list|stat} [<subcommand options>]"};
constexpr std::string_view kKvmDescription =
    "Profiles KVM guests from the host.\n\n"
    "`record`, `report`, `top`, `diff`, `buildid-list` and `stat` work like the commands of the same name, but only on "
    "guests. --host adds the host; --host --no-guest omits the guests. The file is perf.data.guest; with --host, "
    "perf.data.kvm; with --host --no-guest, perf.data.host. To resolve a guest's kernel functions, pass copies of its "
    "/proc/kallsyms and /proc/modules.\n\n"
    "`stat record` records, on the host, when guests stop (exit) and resume (entry), and their accesses to devices, "
    "for all guests (-a) or for one (-p PID). `stat report` shows why guests exited, how often, and how long the host "
    "took to handle it; `stat live` shows this while they run.";
constexpr std::string_view kKvmExamples[] = {
    "perf kvm --host --guest record -a sleep 10|host and guests for ten seconds, into perf.data.kvm",
    "perf kvm --host --guest --guestkallsyms=k --guestmodules=m report|with symbols from copies of the guest's files",
    "perf kvm --guest stat -a sleep 1|count events of guests",
    "perf kvm stat record -a sleep 10|exits of all guests for ten seconds",
    "perf kvm stat report|exit reasons by count",
    "perf kvm stat report --event mmio -k time|the slowest device addresses",
};

}  // namespace

std::string KvmOptions::default_file() const {
  if (!guests.host) return "perf.data.guest";
  return guests.wants_guests() ? "perf.data.kvm" : "perf.data.host";
}

Result<int> run_for_guests(const Command& other, std::vector<std::string> words, const KvmOptions& options,
                           Invocation& call) {
  Config config = call.config;
  set_guests(options.guests, config);
  if (options.guest_code) call.messages.note("--guest-code is ignored: guest code is not resolved");
  Invocation inner{.command = call.command,
                   .config = config,
                   .messages = call.messages,
                   .out = call.out,
                   .argv = call.argv,
                   .out_is_terminal = call.out_is_terminal,
                   .confined = call.confined};
  return run_other(other, std::move(words), inner);
}

constinit const Command kKvmRecord{.name = "kvm record",
                                   .summary = "Sample guests",
                                   .options = kInputRows,
                                   .passes_to = &kRecord,
                                   .run = record_guests};
constinit const Command kKvmReport{.name = "kvm report",
                                   .summary = "Show guest samples",
                                   .options = kGuestRows,
                                   .passes_to = &kReport,
                                   .run = report_guests};
constinit const Command kKvmTop{.name = "kvm top",
                                .summary = "Show guest samples live",
                                .options = kFileRows,
                                .passes_to = &kTop,
                                .run = watch_guests};
constinit const Command kKvmDiff{.name = "kvm diff",
                                 .summary = "Compare guest recordings",
                                 .options = kInputRows,
                                 .passes_to = &kDiff,
                                 .run = diff_guests};
constinit const Command kKvmBuildidList{.name = "kvm buildid-list",
                                        .summary = "Show the build-ids of a guest recording",
                                        .options = kOutputRows,
                                        .passes_to = &kBuildidList,
                                        .run = list_build_ids};

constinit const Command kKvm{.name = "kvm",
                             .summary = "Sample KVM guests, and show why they exit",
                             .usage = kKvmUsage,
                             .options = kKvmOptions,
                             .parts = kKvmParts,
                             .words_at = Words::StopAtFirst,
                             .paging = Paging::ToTerminal,
                             .description = kKvmDescription,
                             .examples = kKvmExamples,
                             .run = run_part};

}  // namespace peregrine::cmd
