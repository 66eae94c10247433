#include "session/block/block_watch.h"

#include <chrono>
#include <expected>
#include <mutex>
#include <string>
#include <utility>

#include "analysis/block/block_event.h"
#include "analysis/block/block_report.h"
#include "base/types.h"
#include "machine/machine.h"
#include "output/terminal/terminal.h"
#include "output/text/block/block_line.h"
#include "output/text/block/block_report_text.h"
#include "pipeline/live/live_session.h"
#include "session/live/live_source.h"

namespace peregrine {

namespace {

using WatchClock = std::chrono::steady_clock;

// How long lines wait before they are written.
constexpr double kLineInterval = 0.1;

void print_top_table(BlockReport& report, const BlockWatchRequest& request, WatchClock::time_point& since, Sink& out) {
  const WatchClock::time_point now = WatchClock::now();
  if (request.clears_screen) out.append(kClearScreen);
  print_block_top(report, std::chrono::duration<double>(now - since).count(), request.rows, out);
  out.append(request.clears_screen ? "\nCtrl-C ends\n" : "\n");
  report.forget_rows();
  since = now;
}

}  // namespace

Result<> watch_block_events(const BlockWatchRequest& request, const BlockNames& names, const RecordRequest& record,
                            EventSources& sources, EventList events, Sink& out, SessionListener& listener) {
  auto source = open_live_source(record, sources, std::move(events), listener);
  if (!source) return std::unexpected(std::move(source.error()));
  LiveSession& session = *source->session;
  Machine machine;
  BlockReport report({.keys = {BlockKey::Device, BlockKey::Comm, BlockKey::Pid},
                      .device_name = [&](u32 group) { return names.name(group); },
                      .activity = false});
  BlockLine line(out);
  BlockSink sink(
      source->reader, [&](u32 device) { return names.disk_of(device); },
      [&](const BlockEvent& event) {
        if (!request.choice.takes(event)) return;
        if (request.table)
          report.add(event);
        else
          line.print(event);
      });
  session.replay(source->reader, machine, {}, sink);
  WatchClock::time_point since = WatchClock::now();
  PEREGRINE_TRY(print_until_end(session, request.table ? request.seconds : kLineInterval, [&] {
    const std::scoped_lock lock(session.mutex());
    if (request.table) print_top_table(report, request, since, out);
    return out.flush();
  }));
  return out.flush();
}

}  // namespace peregrine
