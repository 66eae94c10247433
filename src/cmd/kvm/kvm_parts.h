// Shared by the subcommands of `kvm`: the selection of host or guests, and the files with guests' symbols.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/traced_recording.h"
#include "machine/dso/dso.h"
#include "session/guest/guest_session.h"

namespace peregrine::cmd {

struct KvmOptions {
  TracedInput input;
  std::string output;
  GuestChoice choice;
  bool guest_code = false;
  GuestOptions guests;
  // linux-perf's file names for recordings, by the requested sides.
  std::string default_file() const;
};

inline constexpr std::array kGuestRows{
    Option{.name = "guest",
           .help = "include guests (default; --host --no-guest: host only)",
           .store = set<&KvmOptions::guests, &GuestOptions::guest>},
    Option{.name = "guest-code",
           .help = "accepted and ignored: guest code is not resolved",
           .store = set<&KvmOptions::guest_code>},
    Option{.name = "guestkallsyms",
           .value = Value::Required,
           .metavar = "file",
           .help = "use this copy of the guest's /proc/kallsyms",
           .store = set<&KvmOptions::guests, &GuestOptions::places, &GuestPlaces::kallsyms>},
    Option{.name = "guestmodules",
           .value = Value::Required,
           .metavar = "file",
           .help = "use this copy of the guest's /proc/modules",
           .store = set<&KvmOptions::guests, &GuestOptions::places, &GuestPlaces::modules>},
    Option{.name = "guestmount",
           .value = Value::Required,
           .metavar = "directory",
           .help = "look for guests' root file systems in this folder, in subfolders named after the process ID",
           .store = set<&KvmOptions::guests, &GuestOptions::places, &GuestPlaces::mount>},
    Option{.name = "guestvmlinux",
           .value = Value::Required,
           .metavar = "file",
           .help = "use this kernel image of the guest, which must run at its link address",
           .store = set<&KvmOptions::guests, &GuestOptions::places, &GuestPlaces::vmlinux>},
    Option{.name = "host", .help = "include the host", .store = set<&KvmOptions::guests, &GuestOptions::host>},
};
inline constexpr Option kGuestInput{
    .name = "input",
    .letter = 'i',
    .value = Value::Required,
    .metavar = "file",
    .help = "read this recording (default: perf.data.guest; with --host: perf.data.kvm)",
    .store = set<&KvmOptions::input, &TracedInput::path>};
inline constexpr Option kGuestOutput{
    .name = "output",
    .letter = 'o',
    .value = Value::Required,
    .metavar = "file",
    .help = "record: write to this file (default: perf.data.guest; with --host: perf.data.kvm)",
    .store = set<&KvmOptions::output>};
inline constexpr Option kGuestVerbose{
    .name = "verbose", .letter = 'v', .help = "print more", .store = count<&KvmOptions::input, &TracedInput::verbose>};
// Options of `kvm` that its subcommands accept before their names, unless the underlying command has one with that
// name. After the subcommand's name, -i and -o belong to the other command.
constexpr Option without_letter(Option row) {
  row.letter = 0;
  return row;
}
inline constexpr std::array kPassedInput{without_letter(kGuestInput)};
inline constexpr std::array kPassedOutput{without_letter(kGuestOutput)};
inline constexpr auto kInputRows = joined_rows(kPassedInput, kGuestRows);
inline constexpr auto kOutputRows = joined_rows(kPassedOutput, kGuestRows);
inline constexpr auto kFileRows = joined_rows(kPassedInput, kPassedOutput, kGuestRows);

extern const Command kKvmRecord, kKvmReport, kKvmTop, kKvmDiff, kKvmBuildidList, kKvmStat, kKvmStatLive;

// Calls another command, passing the sides and guest files as settings.
Result<int> run_for_guests(const Command& other, std::vector<std::string> words, const KvmOptions& options,
                           Invocation& call);

}  // namespace peregrine::cmd
