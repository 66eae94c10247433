#include "session/block/block_watch.h"

#include <expected>
#include <mutex>
#include <string>
#include <utility>

#include "analysis/block/block_event.h"
#include "analysis/block/block_report.h"
#include "base/types.h"
#include "machine/machine.h"
#include "output/text/block/block_line.h"
#include "pipeline/live/live_session.h"
#include "session/block/block_session.h"
#include "session/block/block_top.h"
#include "session/live/live_source.h"

namespace peregrine {

namespace {

// How long lines wait before they are written.
constexpr double kLineInterval = 0.1;

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
  if (request.table) {
    const Result<> shown = BlockTop(session, report, request, out).run();
    const Result<> stopped = session.stop();  // even after an error: its thread uses the variables above
    PEREGRINE_TRY(shown);
    PEREGRINE_TRY(stopped);
    warn_about_completions(report, listener);
  } else {
    PEREGRINE_TRY(print_until_end(session, kLineInterval, [&] {
      const std::scoped_lock lock(session.mutex());
      return out.flush();
    }));
  }
  return out.flush();
}

}  // namespace peregrine
