#include "session/recording_read.h"

#include <optional>
#include <utility>

#include "output/text/dump/raw_dump.h"
#include "session/event_names.h"
#include "session/recording/reading_watch.h"

namespace peregrine {

Result<RecordingRead> read_recording(data::Reader& reader, Machine& machine, ReplaySink& sink, ReadRequest request,
                                     SessionListener& listener) {
  std::optional<RawDumpSink> dump;
  if (request.dump != nullptr) {
    request.replay.every_record = true;
    if (reader.header().layout == data::Layout::Pipe) request.replay.workers = 1;  // as RawDump requires
    dump.emplace(RawDump(reader, event_names(reader), RawDump::Command::Report), sink, *request.dump);
  }
  Replay replay(reader, machine, std::move(request.replay));
  ReadingWatch watch(dump ? static_cast<ReplaySink&>(*dump) : sink, reader.header(), listener);
  Result<> outcome = replay.run(watch);
  PEREGRINE_TRY(watch.end(request.file));
  return RecordingRead{.account = replay.account(), .outcome = std::move(outcome)};
}

}  // namespace peregrine
