// blk script: block I/O events as lines, in blkparse's layout. blk convert: as blktrace's streams.
#include <array>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/blk/blk_parts.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/block/blktrace_export.h"
#include "session/block/block_session.h"

namespace peregrine::cmd {

namespace {

struct BlkScriptOptions {
  TracedInput input;
  BlkChoice choice;
  std::string format;
  std::vector<std::string> action_formats;
  BlockSpan span;
  bool quiet = false, only_totals = false, steps = false, processes = false;

  ReaderNeeds needs() const { return blk_needs(input); }
};
constexpr std::array kBlkScriptOwnRows{
    Option{.name = "format",
           .letter = 'F',
           .value = Value::Required,
           .metavar = "action,format",
           .help = "the format of one action, for example 'C,%T.%t %S + %n\\n'; may be repeated",
           .store = set<&BlkScriptOptions::action_formats>},
    Option{.name = "format-spec",
           .letter = 'f',
           .value = Value::Required,
           .metavar = "format",
           .help = "the format of all events: %a action, %C comm, %c CPU, %D device, %d kind, %e error, %M major, "
                   "%m minor, %N bytes, %n sectors, %P payload, %p pid, %S sector, %s sequence, %T.%t time, %u µs "
                   "since the step before, %U number",
           .store = set<&BlkScriptOptions::format>},
    Option{.name = "no-text-output",
           .letter = 'O',
           .help = "print only the totals",
           .store = set<&BlkScriptOptions::only_totals>},
    Option{.name = "per-program-stats",
           .letter = 's',
           .help = "also print the totals of each thread, sorted by name",
           .store = set<&BlkScriptOptions::processes>},
    Option{.name = "quiet", .letter = 'q', .help = "do not print totals", .store = set<&BlkScriptOptions::quiet>},
    Option{.name = "stopwatch",
           .letter = 'w',
           .value = Value::Required,
           .metavar = "[start:]end",
           .help = "use only events between these times, in seconds since the first event",
           .store = set_parsed<&parse_block_span, &BlkScriptOptions::span>},
    Option{
        .name = "track-ios",
        .letter = 't',
        .help = "show in each line how many ns passed since the request's previous step: from G to I, I to D, D to C",
        .store = set<&BlkScriptOptions::steps>},
};
constexpr auto kBlkScriptOptions =
    joined_rows(kBlkScriptOwnRows, kBlkChoiceRows<BlkScriptOptions>, kBlkInputRows<BlkScriptOptions>);

Result<int> blk_script(BlkScriptOptions& options, Invocation& call) {
  auto input = open_blk_input(options.input, call);
  if (!input) return kNotOpened;
  auto choice = chosen_events(options.choice, input->names);
  if (!choice) return std::unexpected(std::move(choice.error()));
  PEREGRINE_TRY(show_block_lines(*input,
                                 {.choice = std::move(*choice),
                                  .format = options.format,
                                  .action_formats = options.action_formats,
                                  .lines = !options.only_totals,
                                  .totals = !options.quiet,
                                  .steps = options.steps,
                                  .processes = options.processes,
                                  .span = options.span},
                                 call.out, call.messages));
  return 0;
}

struct BlkConvertOptions {
  TracedInput input;
  BlkChoice choice;
  std::string output;

  ReaderNeeds needs() const {
    ReaderNeeds needs = blk_needs(input);
    needs.outputs.push_back(output + ".blktrace.*");
    return needs;
  }
};
constexpr std::array kBlkConvertOwnRows{
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "base",
           .help = "write BASE.blktrace.0, .1, ..., one file per CPU",
           .store = set<&BlkConvertOptions::output>},
};
constexpr auto kBlkConvertOptions =
    joined_rows(kBlkConvertOwnRows, kBlkChoiceRows<BlkConvertOptions>, kBlkInputRows<BlkConvertOptions>);

Result<int> convert_confined(BlkConvertOptions& options, Invocation& call) {
  auto input = open_blk_input(options.input, call);
  if (!input) return kNotOpened;
  auto choice = chosen_events(options.choice, input->names);
  if (!choice) return std::unexpected(std::move(choice.error()));
  PEREGRINE_TRY(write_blktrace(*input, *choice, options.output, call.messages));
  return 0;
}

Result<int> blk_convert(BlkConvertOptions& options, Invocation& call) {
  if (options.output.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, "-o is missing"}.with_hint("-o sda writes sda.blktrace.0, sda.blktrace.1, ..."));
  return confined<BlkConvertOptions, convert_confined>(options, call);
}

}  // namespace

constinit const Command kBlkScript{.name = "blk script",
                                   .summary = "Print block I/O events as lines",
                                   .options = kBlkScriptOptions,
                                   .since = Since::Ours,
                                   .run = entry<BlkScriptOptions, confined<BlkScriptOptions, blk_script>>};
constinit const Command kBlkConvert{.name = "blk convert",
                                    .summary = "Write block I/O as blktrace's binary streams",
                                    .options = kBlkConvertOptions,
                                    .since = Since::Ours,
                                    .run = entry<BlkConvertOptions, blk_convert>};

}  // namespace peregrine::cmd
