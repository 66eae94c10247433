#include "session/recording/traced_recording.h"

#include <algorithm>
#include <expected>
#include <utility>

#include "base/types.h"
#include "session/recording/losses.h"

namespace peregrine {

u32 TracedRecording::cpus() const {
  const auto& counted = reader->header().features.cpus;
  const u32 cpus = counted ? std::max(counted->available, counted->online) : 0;
  return cpus <= kMostColumns ? cpus : 0;
}

Result<TracedRecording> open_traced(const OpenRequest& file, const SymbolRequest& symbols, SessionListener& listener) {
  auto reader = open_recording(file, listener);
  if (!reader) return std::unexpected(std::move(reader.error()));
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(std::move(*reader));
  recording.machine = std::make_unique<Machine>(symbol_places(symbols, *recording.reader, listener));
  return recording;
}

Result<> replay_in_order(TracedRecording& recording, ReplaySink& sink, OrderedReplay request,
                         SessionListener& listener) {
  ReplayOptions options;
  options.stitch_branches = request.stitch_branches;
  options.workers = 1;
  options.shown = request.shown;
  options.filter = std::move(request.filter);
  Replay replay(*recording.reader, *recording.machine, std::move(options));
  const Result<> outcome = replay.run(sink);
  warn_about_losses(listener, replay.account(), recording.reader->account());
  // The ring's LOST records and the events' own counts describe the same losses, each as far as it could be written.
  recording.lost = std::max(replay.account().lost_events, replay.account().lost_samples);
  return outcome;
}

Result<> replay_traced(TracedRecording& recording, TracepointSink& sink, SampleFilter filter,
                       SessionListener& listener) {
  PEREGRINE_TRY(replay_in_order(recording, sink, {.shown = sink.records(), .filter = std::move(filter)}, listener));
  return sink.outcome();
}

}  // namespace peregrine
