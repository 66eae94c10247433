// blk: block I/O: which requests were sent to disks, by whom, and how long each step took.
#include <string_view>
#include <utility>

#include "base/judged_file.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cmd/blk/blk_parts.h"
#include "cmd/command_table.h"
#include "data/blktrace/blktrace_files.h"

namespace peregrine::cmd {

namespace {

struct BlkOptions {
  TracedInput input;
};
constexpr auto kBlkOptions = kBlkInputRows<BlkOptions>;
constexpr const Command* kBlkParts[] = {&kBlkRecord, &kBlkReport, &kBlkScript, &kBlkConvert, &kBlkLive, &kBlkTop};
constexpr std::string_view kBlkUsage[] = {"[<options>] {record|report|script|convert|live|top} [<subcommand options>]"};
constexpr std::string_view kBlkDescription =
    "Traces block I/O: each request to a disk from the moment it is queued until it completes. Does the work of "
    "blktrace, blkparse and btt, and also reads and writes their files.\n\n"
    "`record`: record the block tracepoints of all or some devices\n"
    "`report`: show where requests spend their time, as btt, with percentiles, processes and idle periods\n"
    "`script`: print each event, as blkparse, and totals per CPU\n"
    "`convert`: write blktrace's binary streams\n"
    "`live`: print events as they happen\n"
    "`top`: show the busiest devices and processes\n\n"
    "The letters of actions: Q queued, G request allocated, I inserted into the scheduler, D issued to the driver, "
    "C completed, M and F merged, R requeued, S slept, X split, A remapped to another device, P plugged, U unplugged, "
    "B bounced, m message.\n\n"
    "Phases are named after the actions at both ends: Q2G is the wait for a request, G2I and I2D the time in the plug "
    "and the I/O scheduler, D2C the time in the driver and the device, Q2C the whole. The tables of btt are in "
    "seconds; columns marked ms are in milliseconds.";
constexpr std::string_view kBlkExamples[] = {
    "perf blk record -d sda -w 10|record a disk for ten seconds",
    "perf blk report --by device,comm|latencies per process",
    "perf blk script|each event of each request",
    "perf blk report -i sda|the streams of blktrace, sda.blktrace.0, .1, ...",
    "perf blk convert -o sda|write such streams, for blkparse and btt",
    "perf blk live -d sda|watch a disk",
};

}  // namespace

ReaderNeeds blk_needs(const TracedInput& input) {
  ReaderNeeds needs{.inputs = {input.path}};
  for (std::string& path : data::find_blktrace_files(input.path)) needs.inputs.push_back(std::move(path));
  return needs;
}

std::optional<BlockInput> open_blk_input(const TracedInput& input, Invocation& call) {
  auto streams = data::find_blktrace_files(input.path);
  if (!streams.empty())
    return block_input(std::move(streams), data::blktrace_device(input.path),
                       input.force ? TrustedOwner::Anyone : TrustedOwner::SelfOrRoot);
  auto recording = open_traced(input, {.force = input.force}, call);
  if (!recording) return std::nullopt;
  return block_input(std::move(*recording));
}

Result<BlockChoice> chosen_events(const BlkChoice& choice, const BlockNames& names) {
  return choose_block_events(choice.devices, choice.masks, names);
}

constinit const Command kBlk{.name = "blk",
                             .summary = "Trace block I/O: requests, latencies, queue depth",
                             .usage = kBlkUsage,
                             .options = kBlkOptions,
                             .parts = kBlkParts,
                             .words_at = Words::StopAtFirst,
                             .paging = Paging::ToTerminal,
                             .takes_screen = part_takes_screen,
                             .description = kBlkDescription,
                             .examples = kBlkExamples,
                             .since = Since::Ours,
                             .run = run_part};

}  // namespace peregrine::cmd
