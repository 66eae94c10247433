#include "session/block/block_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <string_view>
#include <utility>

#include "analysis/block/block_totals.h"
#include "analysis/field/latency_map.h"
#include "base/text/counted.h"
#include "base/text/words.h"
#include "data/blktrace/blktrace_files.h"
#include "output/svg/latency_heat_map.h"
#include "output/text/block/block_line.h"
#include "output/text/block/block_report_text.h"
#include "output/text/block/block_totals_text.h"
#include "output/text_file.h"
#include "session/export/picture_request.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// In the order of BlockKey.
constexpr std::array<std::string_view, 5> kBlockKeyNames = {"device", "comm", "pid", "rwbs", "chain"};

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

Result<> write_block_heat_map(const BlockReport& report, const std::string& path, Sink& out,
                              SessionListener& listener) {
  const HeatMapText text{.title = "Time from issue to completion (D2C)", .subtitle = "block I/O requests"};
  PEREGRINE_TRY(write_whole_file(
      path, out, [&](Sink& file) { print_latency_heat_map(file, make_latency_map(report.points()), text); }));
  listener.note(fmt::format("wrote {} ({})", shown_path(path), counted(report.points().size(), "request", "requests")));
  return {};
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
                           SessionListener& listener) {
  const BlockTaker chosen = [&](const BlockEvent& event) {
    if (choice.takes(event)) taker(event);
  };
  if (!input.recording) return read_streams(input, chosen, listener);
  BlockSink sink(*input.recording->reader, [&](u32 device) { return input.names.disk_of(device); }, chosen);
  return replay_traced(*input.recording, sink, {}, listener);
}

Result<> show_block_lines(BlockInput& input, const BlockLinesRequest& request, Sink& out, SessionListener& listener) {
  BlockLine line(out);
  if (!request.format.empty()) PEREGRINE_TRY(line.use_format(request.format));
  for (const std::string& format : request.action_formats) PEREGRINE_TRY(line.use_action_format(format));
  BlockTotals totals;
  PEREGRINE_TRY(read_block_events(
      input, request.choice,
      [&](const BlockEvent& event) {
        if (request.lines) line.print(event);
        totals.add(event);
      },
      listener));
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

Result<> show_block_report(BlockInput& input, const BlockReportRequest& request, Sink& out, SessionListener& listener) {
  if (!request.heat_map.empty()) PEREGRINE_TRY(check_picture_file("--heatmap", request.heat_map, ".svg"));
  const BlockDeviceName name = [&](u32 group) { return input.name(group); };
  BlockReport report({.keys = request.keys, .device_name = name, .points = !request.heat_map.empty()});
  PEREGRINE_TRY(
      read_block_events(input, request.choice, [&](const BlockEvent& event) { report.add(event); }, listener));
  print_block_report(report, {.device_name = name, .keys = key_titles(request.keys), .all_data = request.all_data},
                     out);
  if (!request.heat_map.empty()) PEREGRINE_TRY(write_block_heat_map(report, request.heat_map, out, listener));
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
