// blk live and blk top: block I/O of the running system, as lines or as a table.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/blk/blk_parts.h"
#include "cmd/record/record_options.h"
#include "session/block/block_recording.h"
#include "session/block/block_watch.h"
#include "session/recording/tracepoint/recordable_tracepoints.h"
#include "sys/hardware/block_device.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

struct BlkWatchOptions {
  RecordCommandOptions record;
  BlkChoice choice;
  std::optional<double> seconds;
  double interval = 1;
  unsigned rows = 20;
};
constexpr std::array kBlkWatchRows{kBlkStopwatchRow<&BlkWatchOptions::seconds>};
constexpr std::array kBlkTopRows{
    Option{.name = "interval",
           .letter = 'I',
           .value = Value::Required,
           .metavar = "seconds",
           .help = "seconds between tables (default: 1)",
           .store = set<&BlkWatchOptions::interval>},
    Option{.name = "rows",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "n",
           .help = "show at most N rows (default: 20)",
           .store = set<&BlkWatchOptions::rows>},
};
constexpr auto kBlkLiveOptions = joined_rows(kBlkChoiceRows<BlkWatchOptions>, kBlkWatchRows);
constexpr auto kBlkTopOptions = joined_rows(kBlkChoiceRows<BlkWatchOptions>, kBlkTopRows, kBlkWatchRows);

// Samples every hit of the tracepoints, with its fields; the kernel filters devices.
Result<> choose_block_tracepoints(RecordCommandOptions& record, const BlockChoice& choice) {
  const RecordableTracepoints there("block");
  const auto tracepoints = filtered_block_tracepoints(choice, there);
  if (!tracepoints) return std::unexpected(tracepoints.error());
  for (const FilteredBlockTracepoint& tracepoint : *tracepoints) {
    if (auto added = record.events.add("block:" + std::string(tracepoint.name)); !added)
      return std::unexpected(there.cause_of(std::move(added.error())));
    if (!tracepoint.filter.empty()) PEREGRINE_TRY(record.events.filter(tracepoint.filter));
  }
  record.fields().raw = record.fields().cpu = true;
  record.request.target.system_wide = true;
  record.request.recording.rings.tick = std::chrono::milliseconds(100);
  return {};
}

Result<int> watch_blocks(BlkWatchOptions& options, Invocation& call, bool table) {
  if (!(options.interval > 0)) return fail(ErrorKind::Usage, "-I must be more than 0");
  if (!call.words.empty()) return fail(ErrorKind::Usage, "unexpected argument '{}'", call.words.front());
  PEREGRINE_TRY(options.record.configure(call.config));
  const BlockNames names{read_block_devices(Root())};
  const auto choice = chosen_events(options.choice, names);
  if (!choice) return std::unexpected(choice.error());
  PEREGRINE_TRY(choose_block_tracepoints(options.record, *choice));
  RecordCommandOptions& record = options.record;
  describe_program(record.request, call);
  if (options.seconds) {
    constexpr double kLongest = 1e9;
    record.request.recording.run.duration =
        std::chrono::milliseconds(static_cast<i64>(std::min(*options.seconds, kLongest) * 1000));
  }
  PEREGRINE_TRY(watch_block_events({.choice = *choice,
                                    .table = table,
                                    .seconds = options.interval,
                                    .rows = options.rows,
                                    .clears_screen = table && call.out_is_terminal,
                                    .keys = table && call.out_is_terminal ? STDIN_FILENO : -1},
                                   names, record.request, record.events.sources(), record.events.take(), call.out,
                                   call.messages));
  return 0;
}

Result<int> blk_live(BlkWatchOptions& options, Invocation& call) { return watch_blocks(options, call, false); }
Result<int> blk_top(BlkWatchOptions& options, Invocation& call) { return watch_blocks(options, call, true); }
bool always_live(const Invocation&) { return true; }

}  // namespace

constinit const Command kBlkLive{.name = "blk live",
                                 .summary = "Print block I/O events as they happen",
                                 .options = kBlkLiveOptions,
                                 .takes_screen = always_live,
                                 .since = Since::Ours,
                                 .run = entry<BlkWatchOptions, blk_live>};
constinit const Command kBlkTop{.name = "blk top",
                                .summary = "Show the busiest devices and processes",
                                .options = kBlkTopOptions,
                                .takes_screen = always_live,
                                .since = Since::Ours,
                                .run = entry<BlkWatchOptions, blk_top>};

}  // namespace peregrine::cmd
