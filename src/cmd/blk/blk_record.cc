// blk record: records the tracepoints of block I/O, and prints blktrace's totals.
#include <fmt/format.h>

#include <array>
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
#include "cmd/recording/recording.h"
#include "session/block/block_recording.h"
#include "session/block/block_session.h"
#include "sys/hardware/block_device.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

struct BlkRecordOptions {
  BlkChoice choice;
  bool chains = false;
  std::optional<double> seconds;
  std::string output;
};
constexpr std::array kBlkRecordOwnRows{
    Option{.letter = 'g',
           .help = "also record call chains, for report --by chain",
           .store = set<&BlkRecordOptions::chains>},
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "write to this file (default: perf.data)",
           .store = set<&BlkRecordOptions::output>},
    kBlkStopwatchRow<&BlkRecordOptions::seconds>,
};
constexpr auto kBlkRecordOptions = joined_rows(kBlkChoiceRows<BlkRecordOptions>, kBlkRecordOwnRows);

Result<std::vector<std::string>> blk_record_arguments(const BlkRecordOptions& options, const Invocation& call) {
  if (!options.seconds) return record_arguments(options.output, call.words);
  if (!call.words.empty()) return fail(ErrorKind::Usage, "-w cannot be combined with a command");
  return record_arguments(options.output, {"sleep", fmt::format("{}", *options.seconds)});
}

Result<int> blk_record(BlkRecordOptions& options, Invocation& call) {
  const BlockNames names{read_block_devices(Root())};
  const auto choice = chosen_events(options.choice, names);
  if (!choice) return std::unexpected(choice.error());
  auto recording = block_recording(*choice, options.chains);
  if (!recording) return std::unexpected(std::move(recording.error()));
  const auto rest = blk_record_arguments(options, call);
  if (!rest) return std::unexpected(rest.error());
  const auto done = record_traced(std::move(*recording), *rest, call);
  if (!done || options.output == "-") return done;
  auto input = open_blk_input({.path = options.output.empty() ? std::string(kDefaultInput) : options.output}, call);
  if (!input) return kNotOpened;
  PEREGRINE_TRY(show_block_record_totals(*input, call.out, call.messages));
  return *done;
}

constexpr std::string_view kBlkRecordUsage[] = {"[<options>] [<command>]"};

}  // namespace

constinit const Command kBlkRecord{.name = "blk record",
                                   .summary = "Record block I/O",
                                   .usage = kBlkRecordUsage,
                                   .options = kBlkRecordOptions,
                                   .words_at = Words::StopAtFirst,
                                   .since = Since::Ours,
                                   .run = entry<BlkRecordOptions, blk_record>};

}  // namespace peregrine::cmd
