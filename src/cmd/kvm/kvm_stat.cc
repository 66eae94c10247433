// kvm stat: why KVM guests exit and for how long, recorded and summed, or counts of events.
#include <array>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/kvm/kvm_parts.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/guest/guest_session.h"
#include "session/recording/tracepoint/tracepoint_recording.h"

namespace peregrine::cmd {

namespace {

constexpr std::array kOwnFiles{kGuestInput, kGuestVerbose};
constexpr std::array kKvmStatReportOnly{
    Option{.name = "event",
           .value = Value::Required,
           .metavar = "event",
           .help = "summarize vmexit (default), mmio or ioport",
           .store = set<&KvmOptions::choice, &GuestChoice::event>},
    Option{.name = "force",
           .letter = 'f',
           .help = "read the file regardless of its owner",
           .store = set<&KvmOptions::input, &TracedInput::force>},
    Option{.name = "key",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "key",
           .help = "sort by sample or time (mean), largest first",
           .store = set<&KvmOptions::choice, &GuestChoice::key>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "show only guests of these processes",
           .store = set<&KvmOptions::choice, &GuestChoice::pids>},
    Option{.name = "vcpu",
           .value = Value::Required,
           .metavar = "n",
           .help = "show only virtual CPUs with this number",
           .store = set<&KvmOptions::choice, &GuestChoice::vcpu>},
};
constexpr auto kKvmStatReportOptions = joined_rows(kKvmStatReportOnly, kOwnFiles, kOutputRows);

Result<int> stat_report(KvmOptions& options, Invocation& call) {
  const auto table = guest_table(options.choice);
  if (!table) return std::unexpected(table.error());
  if (options.input.path.empty()) options.input.path = options.default_file();
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(show_guest_exits(*recording, *table, call.out, call.messages));
  return 0;
}

// The user's options and command are passed to record. The tracepoints are the host's, whichever side was requested.
Result<int> stat_record(Invocation& call) {
  KvmOptions options;
  const auto rest = take_own_options(call, &options, kOwner<KvmOptions>);
  if (!rest) return std::unexpected(rest.error());
  std::vector<std::string> arguments{"--output=" + options.default_file()};
  arguments.insert(arguments.end(), rest->begin(), rest->end());
  return record_traced(guest_recording(), arguments, call);
}

constexpr Command kStatRecord{.name = "kvm stat record",
                              .summary = "Record when and why guests exit",
                              .options = kInputRows,
                              .passes_to = &kRecord,
                              .run = stat_record};
constexpr Command kKvmStatReport{.name = "kvm stat report",
                                 .summary = "Show why guests exited, and for how long",
                                 .options = kKvmStatReportOptions,
                                 .run = entry<KvmOptions, confined<KvmOptions, stat_report>>};
constexpr const Command* kStatParts[] = {&kStatRecord, &kKvmStatReport, &kKvmStatLive};
constexpr Command kStatOfGuests{.name = "kvm stat",
                                .summary = "Show why guests exit, and for how long",
                                .options = kFileRows,
                                .parts = kStatParts,
                                .words_at = Words::StopAtFirst,
                                .run = run_part};
// Without one of these subcommands it counts events, like `stat`.
Result<int> run_kvm_stat(Invocation& call) {
  if (called_part(kStatOfGuests, call.arguments) != nullptr) return run_other(kStatOfGuests, call.arguments, call);
  KvmOptions options;
  auto rest = take_own_options(call, &options, kOwner<KvmOptions>);
  if (!rest) return std::unexpected(std::move(rest.error()));
  return run_for_guests(kStat, std::move(*rest), options, call);
}

}  // namespace

constinit const Command kKvmStat{.name = "kvm stat",
                                 .summary = kStatOfGuests.summary,
                                 .options = kInputRows,
                                 .parts = kStatParts,
                                 .passes_to = &kStat,
                                 .run = run_kvm_stat};

}  // namespace peregrine::cmd
