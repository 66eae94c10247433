// Shared by the commands that follow events in order (sched, kmem, timechart, lock, kwork, kvm, c2c): the
// options that name their recording, and functions that open or record it.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/recording_rows.h"
#include "session/recording/traced_recording.h"
#include "session/recording/tracepoint/tracepoint_recording.h"

namespace peregrine::cmd {

struct TracedInput {
  std::string path;
  bool force = false, dump = false;
  int verbose = 0;
};

// Rows for options of type O, which has a member `input`.
template <class O>
inline constexpr std::array kTracedInputRows{
    Option{.name = "dump-raw-trace",
           .letter = 'D',
           .help = "dump every record as numbers and bytes instead",
           .store = set<&O::input, &TracedInput::dump>},
    kForceRow<&O::input, &TracedInput::force>,
    kInputRow<&O::input, &TracedInput::path>,
    Option{.name = "verbose", .letter = 'v', .help = "print more", .store = count<&O::input, &TracedInput::verbose>},
};

// Nothing if the recording could not be opened, which was reported; the exit code is kNotOpened.
inline constexpr int kNotOpened = 255;
std::optional<TracedRecording> open_traced(const TracedInput& input, const SymbolOptions& symbols, Invocation& call);

// Arguments for record_traced(): -o, unless `output` is empty; `options`; the command.
std::vector<std::string> record_arguments(const std::string& output, const std::vector<std::string>& command,
                                          const std::vector<std::string>& options = {});

// Runs `record` with the arguments of `recording`, followed by the user's.
Result<int> record_traced(TracepointRecording recording, std::span<const std::string> rest, Invocation& call);

// -D: prints the records themselves.
Result<int> dump_traced(const TracedInput& input, Invocation& call);

// The command that makes this one's recordings: "kmem record" for "kmem stat", "timechart record" for "timechart".
std::string recorder_of(const Command& command);

// Parses "1,3-5", the value of `option`, with CPUs up to `highest`. Errors: Usage.
Result<std::vector<u32>> numbers_of(const std::string& text, std::string_view option, u32 highest = ~u32{0});

}  // namespace peregrine::cmd
