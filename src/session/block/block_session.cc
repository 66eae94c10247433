#include "session/block/block_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "analysis/block/block_steps.h"
#include "analysis/block/block_totals.h"
#include "analysis/io/io_sink.h"
#include "base/number/real_number.h"
#include "base/text/counted.h"
#include "base/text/words.h"
#include "data/blktrace/blktrace_files.h"
#include "output/text/block/block_line.h"
#include "output/text/block/block_report_text.h"
#include "output/text/block/block_totals_text.h"
#include "session/export/latency_picture.h"
#include "session/export/picture_request.h"
#include "session/recording/recorded_calls.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// In the order of BlockKey.
constexpr std::array<std::string_view, 6> kBlockKeyNames = {"device", "comm", "pid", "rwbs", "chain", "file"};

void warn_about_streams(const data::BlktraceFiles& files, SessionListener& listener) {
  for (const data::BlktraceFiles::Damage& one : files.damage())
    listener.warning(
        fmt::format("'{}' is damaged or incomplete: stopped reading it at offset {}", one.path, one.offset));
  if (files.missing() != 0)
    listener.warning(counted(files.missing(), "event is missing by the sequence numbers",
                             "events are missing by the sequence numbers"),
                     "record with larger buffers: blktrace -b, -n");
}

Result<> read_streams(const BlockInput& input, const BlockTaker& taker, SessionListener& listener) {
  auto files = data::BlktraceFiles::open(input.streams, input.owner);
  if (!files) return std::unexpected(std::move(files.error()));
  BlockProcessNames names;
  while (true) {
    const auto record = files->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) break;
    BlockEvent event{.record = **record};
    event.comm = names.name_of(event.record);
    taker(event);
  }
  warn_about_streams(*files, listener);
  return {};
}

std::vector<std::string> key_titles(const std::vector<BlockKey>& keys) {
  std::vector<std::string> titles;
  for (const BlockKey key : keys) titles.emplace_back(kBlockKeyNames[static_cast<std::size_t>(key)]);
  return titles;
}

}  // namespace

BlockInput block_input(TracedRecording recording) {
  BlockInput input;
  input.names = BlockNames::of_recording(*recording.reader, Root());
  input.recording = std::move(recording);
  return input;
}

BlockInput block_input(std::vector<std::string> streams, std::string device, TrustedOwner owner) {
  BlockInput input;
  input.streams = std::move(streams);
  input.owner = owner;
  input.device = std::move(device);
  return input;
}

Result<> read_block_events(BlockInput& input, const BlockChoice& choice, const BlockTaker& taker,
                           SessionListener& listener, bool files) {
  const BlockTaker chosen = [&](const BlockEvent& event) {
    if (choice.takes(event)) taker(event);
  };
  if (!input.recording) return read_streams(input, chosen, listener);
  const auto disk_of = [&](u32 device) { return input.names.disk_of(device); };
  if (files) {
    const auto device_name = [&](u32 device) { return input.names.name(device); };
    IoSink sink(*input.recording->reader, recorded_calls(*input.recording->reader),
                {.disk_of = disk_of, .device_name = device_name, .taker = chosen});
    PEREGRINE_TRY(replay_traced(*input.recording, sink, {}, listener));
    if (sink.gaps().cache)
      listener.warning("block I/O has no files: the recording lacks events of the page cache",
                       "record with `perf io record`");
    return {};
  }
  BlockSink sink(*input.recording->reader, disk_of, chosen);
  return replay_traced(*input.recording, sink, {}, listener);
}

Result<BlockSpan> parse_block_span(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto begin = colon == text.npos ? std::optional(0.0) : parse_real(text.substr(0, colon));
  const auto end = parse_real(colon == text.npos ? text : text.substr(colon + 1));
  constexpr double kLongest = 1e9;
  if (!begin || !end || *begin < 0 || *end < *begin || *end > kLongest)
    return fail(ErrorKind::Usage, "invalid -w '{}': must be END or START:END, in seconds", text);
  return BlockSpan{.begin = static_cast<u64>(std::llround(*begin * 1e9)),
                   .end = static_cast<u64>(std::llround(*end * 1e9))};
}

Result<> show_block_lines(BlockInput& input, const BlockLinesRequest& request, Sink& out, SessionListener& listener) {
  BlockLine line(out);
  if (!request.format.empty()) PEREGRINE_TRY(line.use_format(request.format));
  for (const std::string& format : request.action_formats) PEREGRINE_TRY(line.use_action_format(format));
  BlockTotals totals(request.processes);
  BlockSteps steps;
  const bool formatted = !request.format.empty() || !request.action_formats.empty();  // perhaps with %u
  PEREGRINE_TRY(read_block_events(
      input, request.choice,
      [&](const BlockEvent& event) {
        line.see(event.record);
        const u64 time = line.time_of(event.record);
        if (time < request.span.begin || time > request.span.end) return;
        const auto step = request.steps || formatted ? steps.add(event.record) : std::nullopt;
        if (request.lines) line.print(event, step ? std::optional(step->took) : std::nullopt);
        totals.add(event, request.steps ? step : std::nullopt);
      },
      listener));
  if (request.processes) print_block_processes(totals, out);
  if (request.totals) print_block_totals(totals, [&](u32 group) { return input.name(group); }, out);
  return {};
}

Result<std::vector<BlockKey>> parse_block_keys(std::string_view list) {
  std::vector<BlockKey> keys;
  for (const std::string& word : split_words(list)) {
    const auto found = std::ranges::find(kBlockKeyNames, std::string_view(word));
    if (found == kBlockKeyNames.end())
      return fail(ErrorKind::Usage, "unknown --by key '{}': must be one of {}", word, fmt::join(kBlockKeyNames, ", "));
    keys.push_back(static_cast<BlockKey>(found - kBlockKeyNames.begin()));
  }
  return keys;
}

void warn_about_completions(const BlockReport& report, SessionListener& listener) {
  if (report.issued() == 0 || report.completed() != 0) return;
  listener.warning(
      fmt::format("{} without completion: times until completion (Q2C, D2C) are missing",
                  counted(report.issued(), "request", "requests")),
      "`perf stat -a -e block:block_rq_issue -e block:block_rq_complete sleep 5` shows whether the kernel reports "
      "completions");
}

Result<> show_block_report(BlockInput& input, const BlockReportRequest& request, Sink& out, SessionListener& listener) {
  if (!request.heat_map.empty()) PEREGRINE_TRY(check_picture_file("--heatmap", request.heat_map, ".svg"));
  if (!request.size_map.empty()) PEREGRINE_TRY(check_picture_file("--size-heatmap", request.size_map, ".svg"));
  const BlockDeviceName name = [&](u32 group) { return input.name(group); };
  BlockReport report({.keys = request.keys,
                      .device_name = name,
                      .points = !request.heat_map.empty(),
                      .sizes = !request.size_map.empty()});
  PEREGRINE_TRY(read_block_events(
      input, request.choice, [&](const BlockEvent& event) { report.add(event); }, listener,
      std::ranges::find(request.keys, BlockKey::File) != request.keys.end()));
  print_block_report(report, {.device_name = name, .keys = key_titles(request.keys), .all_data = request.all_data},
                     out);
  warn_about_completions(report, listener);
  if (!request.heat_map.empty())
    PEREGRINE_TRY(write_latency_picture(
        request.heat_map, report.points(),
        {.title = "Time from issue to completion (D2C)", .subtitle = "block I/O requests", .thing = "request"}, out,
        listener));
  if (!request.size_map.empty())
    PEREGRINE_TRY(write_latency_picture(
        request.size_map, report.sizes(),
        {.title = "Sizes of issued requests", .subtitle = "block I/O requests", .thing = "request", .bytes = true}, out,
        listener));
  return {};
}

Result<> show_block_record_totals(BlockInput& input, Sink& out, SessionListener& listener) {
  BlockTotals totals;
  PEREGRINE_TRY(read_block_events(input, {}, [&](const BlockEvent& event) { totals.add(event); }, listener));
  if (totals.devices().empty()) listener.note("no block I/O was recorded");
  print_block_record_totals(
      totals, [&](u32 group) { return input.name(group); }, input.recording ? input.recording->lost : 0, out);
  return {};
}

}  // namespace peregrine
