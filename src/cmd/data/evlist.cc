// evlist: the events of a recording and, with -v, all fields of their attrs, as linux-perf prints
// them.
#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/data/evlist_text.h"

namespace peregrine::cmd {

namespace {

struct EvlistOptions {
  std::string input;
  bool force = false;
  bool frequency = false;
  bool group = false;
  int verbose = 0;
  bool trace_fields = false;
};

constexpr Option kEvlistOptions[] = {
    {.name = "force",
     .letter = 'f',
     .help = "read the file regardless of its owner",
     .store = set<&EvlistOptions::force>},
    {.name = "freq",
     .letter = 'F',
     .help = "show the frequency or period of each event",
     .store = set<&EvlistOptions::frequency>},
    {.name = "group", .letter = 'g', .help = "show groups in braces", .store = set<&EvlistOptions::group>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
     .store = set<&EvlistOptions::input>},
    {.name = "verbose",
     .letter = 'v',
     .help = "show all nonzero attribute fields of each event",
     .store = count<&EvlistOptions::verbose>},
    {.name = "trace-fields", .help = "show the fields of each tracepoint", .store = set<&EvlistOptions::trace_fields>},
};
constexpr std::string_view kEvlistUsage[] = {"[<options>]"};

Result<int> evlist(EvlistOptions& options, Invocation& call) {
  if (options.group && (options.verbose > 0 || options.frequency))
    return fail(ErrorKind::Usage, "--group option is not compatible with other options");
  auto reader = open_recording(options.input, options.force, call.messages);
  if (!reader) return say_open_error(call, options.input, reader.error());
  const auto traced = print_evlist({.group = options.group,
                                    .all_fields = options.verbose > 0,
                                    .frequency = options.frequency,
                                    .trace_fields = options.trace_fields},
                                   *reader, call.out);
  if (!traced) return std::unexpected(traced.error());
  if (*traced && !options.trace_fields)
    call.out.append("# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events\n");
  return 0;
}

constexpr std::string_view kEvlistExamples[] = {
    "perf evlist|the events of perf.data",
    "perf evlist -v|all nonzero attribute fields of each event",
    "perf evlist --trace-fields|the fields of each tracepoint",
};

}  // namespace

constinit const Command kEvlist{.name = "evlist",
                                .summary = "Show the events of a recording",
                                .usage = kEvlistUsage,
                                .options = kEvlistOptions,
                                .description =
                                    "Prints the events of a recording, in recorded order. -v also shows each event's "
                                    "settings: sampling frequency, sampled fields, excluded privilege levels.",
                                .examples = kEvlistExamples,
                                .run = entry<EvlistOptions, confined<EvlistOptions, evlist>>};

}  // namespace peregrine::cmd
