// blk report: where block I/O spends its time.
#include <array>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/blk/blk_parts.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/block/block_session.h"

namespace peregrine::cmd {

namespace {

struct BlkReportOptions {
  TracedInput input;
  BlkChoice choice;
  std::string keys, heat_map, size_map;
  bool all_data = false;

  ReaderNeeds needs() const {
    ReaderNeeds needs = blk_needs(input);
    needs.outputs.push_back(heat_map);
    needs.outputs.push_back(size_map);
    return needs;
  }
};
constexpr std::array kBlkReportOwnRows{
    Option{.name = "all-data",
           .letter = 'A',
           .help = "also show the phases per process and per device",
           .store = set<&BlkReportOptions::all_data>},
    Option{.name = "by",
           .value = Value::Required,
           .metavar = "key[,key...]",
           .help = "group latencies by device, comm, pid, rwbs, chain, file",
           .store = set<&BlkReportOptions::keys>},
    Option{.name = "heatmap",
           .value = Value::Required,
           .metavar = "file",
           .help = "draw D2C times over time to this SVG file; -: standard output",
           .store = set<&BlkReportOptions::heat_map>},
    Option{.name = "size-heatmap",
           .value = Value::Required,
           .metavar = "file",
           .help = "draw the sizes of issued requests over time to this SVG file; -: standard output",
           .store = set<&BlkReportOptions::size_map>},
};
constexpr auto kBlkReportOptions =
    joined_rows(kBlkReportOwnRows, kBlkChoiceRows<BlkReportOptions>, kBlkInputRows<BlkReportOptions>);

Result<int> blk_report(BlkReportOptions& options, Invocation& call) {
  auto keys = parse_block_keys(options.keys);
  if (!keys) return std::unexpected(std::move(keys.error()));
  auto input = open_blk_input(options.input, call);
  if (!input) return kNotOpened;
  auto choice = chosen_events(options.choice, input->names);
  if (!choice) return std::unexpected(std::move(choice.error()));
  PEREGRINE_TRY(show_block_report(*input,
                                  {.choice = std::move(*choice),
                                   .keys = std::move(*keys),
                                   .all_data = options.all_data,
                                   .heat_map = options.heat_map,
                                   .size_map = options.size_map},
                                  call.out, call.messages));
  return 0;
}

}  // namespace

constinit const Command kBlkReport{.name = "blk report",
                                   .summary = "Show where block I/O spends its time",
                                   .options = kBlkReportOptions,
                                   .since = Since::Ours,
                                   .run = entry<BlkReportOptions, confined<BlkReportOptions, blk_report>>};

}  // namespace peregrine::cmd
