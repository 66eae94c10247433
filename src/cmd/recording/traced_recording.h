// TracedRecording: what the commands that tell what happened in order (sched, kmem, lock, kwork, c2c) have in common:
// which recording, and the one walk over it, in order.
#pragma once
#include <algorithm>
#include <bitset>
#include <memory>

#include "analysis/field/recorded_tracepoints.h"
#include "cli/frame/parts.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/recording_rows.h"

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
           .help = "print every record as numbers and bytes instead",
           .store = set<&O::input, &TracedInput::dump>},
    kForceRow<&O::input, &TracedInput::force>,
    kInputRow<&O::input, &TracedInput::path>,
    Option{.name = "verbose", .letter = 'v', .help = "print more", .store = count<&O::input, &TracedInput::verbose>},
};

// Pictures with more columns than this are of no use, and a hostile header could ask for gigabytes a line: the largest
// kernels are built for as many CPUs.
inline constexpr u32 kMostColumns = 8192;

// A recording with the machine that its records describe.
struct TracedRecording {
  std::unique_ptr<OpenedRecording> reader;
  std::unique_ptr<Machine> machine;
  // How many CPUs have a column in a picture: those of the recorded machine, as its header says; 0 when it does not, or
  // says more than a line can show.
  u32 cpus() const;
};
// Nothing: it could not be opened, which was said; the exit code is kNotOpened.
inline constexpr int kNotOpened = 255;
std::optional<TracedRecording> open_traced(const TracedInput& input, const SymbolOptions& symbols, Invocation& call);
// All of its samples, and records of the kinds that are set, in order, to the sink; losses are said. Errors: a broken
// file.
Result<> replay_in_order(TracedRecording& recording, ReplaySink& sink, std::bitset<128> shown, Invocation& call,
                         SampleFilter filter = {}, bool stitch_branches = false);
// The same; errors of the formats too.
Result<> replay_traced(TracedRecording& recording, TracepointSink& sink, Invocation& call, SampleFilter filter = {});

// The tracepoints of one of this kernel's systems, to be recorded; one whose tracepoints cannot be listed is taken to
// have all, and `record` tells why not.
class RecordableTracepoints {
 public:
  explicit RecordableTracepoints(std::string_view system);
  bool has(std::string_view name) const { return !names_ || std::ranges::find(*names_, name) != names_->end(); }
  // "-e", "SYSTEM:NAME" of those that are there, behind what is in `words`.
  void add_events(std::initializer_list<std::string_view> wanted, std::vector<std::string>& words) const;
  // Runs `record` with these arguments. Where tracepoints must not be read, the error is that alone: the user typed
  // none of the events.
  Result<int> record(std::vector<std::string> arguments, Invocation& call) const;

 private:
  std::string system_;
  std::optional<std::vector<std::string>> names_;
  std::optional<Error> denied_;
};

// -D: the records themselves.
Result<int> dump_traced(const TracedInput& input, Invocation& call);
// "1,3-5", of that option, none above `highest`. Errors: Usage.
Result<std::vector<u32>> numbers_of(const std::string& text, std::string_view option, u32 highest = ~u32{0});

}  // namespace peregrine::cmd
