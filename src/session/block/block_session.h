// Block I/O of a recording or of blktrace's streams: as lines, as tables of latencies, and as streams. For blk. Main
// thread only.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/block/block_event.h"
#include "analysis/block/block_report.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "session/block/block_choice.h"
#include "session/block/block_names.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

// What is read: a recording, or blktrace's streams of one device.
struct BlockInput {
  std::optional<TracedRecording> recording;
  std::vector<std::string> streams;  // their paths
  TrustedOwner owner = TrustedOwner::SelfOrRoot;
  std::string device;  // that the streams are named after
  BlockNames names;    // of a recording
  std::string name(u32 group) const { return recording ? names.name(group) : device; }
};
BlockInput block_input(TracedRecording recording);
// `owner`: of the streams.
BlockInput block_input(std::vector<std::string> streams, std::string device,
                       TrustedOwner owner = TrustedOwner::SelfOrRoot);

// Calls `taker` with each chosen event in order of time, then reports losses. `files`: with its file, if the recording
// has events of the page cache. Errors: a broken file; no events.
Result<> read_block_events(BlockInput& input, const BlockChoice& choice, const BlockTaker& taker,
                           SessionListener& listener, bool files = false);

// A part of a recording, in ns since its first event.
struct BlockSpan {
  u64 begin = 0, end = ~u64{0};
};
// "1.5" or "0.5:1.5", in seconds. Errors: Usage.
Result<BlockSpan> parse_block_span(std::string_view text);

struct BlockLinesRequest {
  BlockChoice choice;
  std::string format;                       // -f; empty: blkparse's
  std::vector<std::string> action_formats;  // -F
  bool lines = true, totals = true;
  bool steps = false;      // -t: the time since the step before, in each line
  bool processes = false;  // -s: totals of each thread
  BlockSpan span = {};     // -w
};
Result<> show_block_lines(BlockInput& input, const BlockLinesRequest& request, Sink& out, SessionListener& listener);

// "device,comm,pid,rwbs,chain,file". Errors: Usage, an unknown key.
Result<std::vector<BlockKey>> parse_block_keys(std::string_view list);

struct BlockReportRequest {
  BlockChoice choice;
  std::vector<BlockKey> keys;
  bool all_data = false;
  std::string heat_map;  // SVG file of D2C over time; empty: none
  std::string size_map;  // of the sizes of issued requests over time
};
Result<> show_block_report(BlockInput& input, const BlockReportRequest& request, Sink& out, SessionListener& listener);

// Warns if the kernel reported no completion at all: times of requests are then missing.
void warn_about_completions(const BlockReport& report, SessionListener& listener);

// What blktrace prints at the end.
Result<> show_block_record_totals(BlockInput& input, Sink& out, SessionListener& listener);

}  // namespace peregrine
