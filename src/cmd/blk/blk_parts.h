// The subcommands of `blk`, each defined in the file of the same name; and what several of them have in common: the
// options that choose events, and the input, a recording or blktrace's streams.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/real_number.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "session/block/block_choice.h"
#include "session/block/block_names.h"
#include "session/block/block_session.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

extern const Command kBlkRecord, kBlkReport, kBlkScript, kBlkConvert, kBlkLive, kBlkTop;

struct BlkChoice {
  std::vector<std::string> devices, masks;
};

// Rows for options of type O, which has a member `choice`.
template <class O>
inline constexpr std::array kBlkChoiceRows{
    Option{.name = "act-mask",
           .letter = 'a',
           .value = Value::Required,
           .metavar = "mask[,mask...]",
           .help = "only these events: read, write, flush, sync, queue, requeue, issue, complete, fs, pc, ahead, meta, "
                   "discard, fua",
           .store = set<&O::choice, &BlkChoice::masks>},
    Option{.name = "dev",
           .letter = 'd',
           .value = Value::Required,
           .metavar = "device",
           .help = "only this device, with its partitions: sda, /dev/sda, 8:0; may be repeated",
           .store = set<&O::choice, &BlkChoice::devices>},
};

inline Result<double> parse_stopwatch(std::string_view value) {
  const auto seconds = parse_real(value);
  if (!seconds) return fail(ErrorKind::Usage, "invalid -w '{}': must be a number of seconds", value);
  if (*seconds > 0) return *seconds;
  return fail(ErrorKind::Usage, "-w must be more than 0");
}

template <auto... Member>
inline constexpr Option kBlkStopwatchRow{.name = "stopwatch",
                                         .letter = 'w',
                                         .value = Value::Required,
                                         .metavar = "seconds",
                                         .help = "stop after this time",
                                         .store = set_parsed<&parse_stopwatch, Member...>};

template <class O>
inline constexpr std::array kBlkInputRows{
    Option{
        .name = "force", .help = "read the file regardless of its owner", .store = set<&O::input, &TracedInput::force>},
    Option{.name = "input",
           .letter = 'i',
           .value = Value::Required,
           .metavar = "file",
           .help = "the recording to read, or sda for blktrace's streams sda.blktrace.0, .1, ... (default: perf.data)",
           .store = set<&O::input, &TracedInput::path>},
};

// What the sandbox must allow for this input.
ReaderNeeds blk_needs(const TracedInput& input);
// Nothing: the recording could not be opened, which was reported; the exit code is kNotOpened.
std::optional<BlockInput> open_blk_input(const TracedInput& input, Invocation& call);
Result<BlockChoice> chosen_events(const BlkChoice& choice, const BlockNames& names);

}  // namespace peregrine::cmd
