#include "session/data/conversion.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "output/ctf/ctf_clock.h"
#include "output/ctf/ctf_folder.h"
#include "output/ctf/ctf_trace.h"
#include "output/ctf/ctf_uuid.h"
#include "output/json/data_json.h"
#include "output/timeline/chrome_timeline.h"
#include "output/timeline/perfetto_timeline.h"
#include "output/timeline/timeline_sink.h"
#include "output/timeline/timeline_writer.h"
#include "output/trace_dat/trace_dat_sink.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/replay/replay.h"
#include "session/data/kernel_symbol_lines.h"
#include "session/event_names.h"
#include "session/recording/losses.h"
#include "session/recording/reading_watch.h"

namespace peregrine {

namespace {

// After Ctrl-C: suggests how to convert less.
constexpr std::string_view kPartHint = "--time 0%-10% converts a part of the recording";

// One record after the other, in time order. Recorded user stacks are not unwound.
ReplayOptions ordered_replay(std::vector<TimeRange> times) {
  ReplayOptions options;
  options.workers = 1;
  options.unwind = false;
  options.filter.times = std::move(times);
  return options;
}

}  // namespace

Result<Conversion> convert_to_json(ConvertedSamples samples, const std::string& file, Sink& out,
                                   SessionListener& listener) {
  data::Reader& reader = samples.reader;
  Machine machine(std::move(samples.places));
  ReplayOptions options;
  options.filter.times = std::move(samples.times);
  DataJson json(reader, [&reader] { return event_names(reader); }, out);
  Replay replay(reader, machine, std::move(options));
  ReadingWatch watch(json, reader.header(), listener);
  Conversion conversion{.outcome = replay.run(watch)};
  json.finish();
  PEREGRINE_TRY(watch.end(file, kPartHint));
  warn_about_losses(listener, replay.account(), reader.account());
  conversion.samples = json.samples();
  return conversion;
}

Result<Conversion> convert_to_timeline(TimelineFormat format, ConvertedSamples samples, const std::string& file,
                                       Sink& out, SessionListener& listener) {
  data::Reader& reader = samples.reader;
  Machine machine(std::move(samples.places));
  std::unique_ptr<TimelineWriter> writer;
  if (format == TimelineFormat::Chrome)
    writer = std::make_unique<ChromeTimeline>(out);
  else
    writer = std::make_unique<PerfettoTimeline>(out);
  TimelineSink sink(reader, [&reader] { return event_names(reader); }, *writer);
  Replay replay(reader, machine, ordered_replay(std::move(samples.times)));
  ReadingWatch watch(sink, reader.header(), listener);
  Conversion conversion{.outcome = replay.run(watch)};
  auto finished = sink.finish();
  PEREGRINE_TRY(watch.end(file, kPartHint));
  warn_about_losses(listener, replay.account(), reader.account());
  if (!finished) conversion.outcome = std::move(finished);
  conversion.samples = sink.samples();
  return conversion;
}

Result<Conversion> convert_to_ctf(const CtfRequest& request, ConvertedSamples samples, SessionListener& listener) {
  data::Reader& reader = samples.reader;
  auto clock = recorded_ctf_clock(reader, request.wall_clock);
  if (!clock) return std::unexpected(std::move(clock.error()));
  auto uuid = new_ctf_uuid(), clock_uuid = new_ctf_uuid();
  if (!uuid) return std::unexpected(std::move(uuid.error()));
  if (!clock_uuid) return std::unexpected(std::move(clock_uuid.error()));
  auto folder = CtfFolder::prepare(request.folder, request.force);
  if (!folder) return std::unexpected(std::move(folder.error()));
  CtfTraceWriter writer(reader, {.prefix = folder->prefix(),
                                 .uuid = *uuid,
                                 .clock_uuid = *clock_uuid,
                                 .clock = std::move(*clock),
                                 .all = request.all,
                                 .names = [&reader] { return event_names(reader); }});
  Machine machine(std::move(samples.places));
  ReplayOptions options = ordered_replay(std::move(samples.times));
  options.shown = writer.shown();
  Replay replay(reader, machine, std::move(options));
  ReadingWatch watch(writer, reader.header(), listener);
  Conversion conversion{.outcome = replay.run(watch)};
  auto written = writer.finish();
  PEREGRINE_TRY(watch.end(request.folder, kPartHint));
  warn_about_losses(listener, replay.account(), reader.account());
  if (!written) conversion.outcome = std::move(written);
  if (conversion.outcome) conversion.outcome = folder->take();
  conversion.samples = writer.samples();
  conversion.others = writer.others();
  conversion.moved = writer.moved();
  conversion.bytes = writer.bytes();
  return conversion;
}

Result<Conversion> convert_to_trace_dat(const TraceDatRequest& request, int fd, ConvertedSamples samples,
                                        int recorded_kallsyms, SessionListener& listener) {
  data::Reader& reader = samples.reader;
  auto pages = make_unnamed_file(request.temporary_folder);
  if (!pages) return std::unexpected(std::move(pages.error()));
  TraceDatSink sink(reader, std::move(*pages));
  Machine machine(std::move(samples.places));
  ReplayOptions options = ordered_replay(std::move(samples.times));
  options.shown = TraceDatSink::shown();
  Replay replay(reader, machine, std::move(options));
  ReadingWatch watch(sink, reader.header(), listener);
  Conversion conversion{.outcome = replay.run(watch)};
  PEREGRINE_TRY(watch.end(request.file, kPartHint));
  warn_about_losses(listener, replay.account(), reader.account());
  std::string kallsyms;
  if (sink.needs_symbols()) kallsyms = kernel_symbol_lines(machine, recorded_kallsyms);
  auto written = sink.finish(fd, request.file, request.version, std::move(kallsyms));
  if (!written) conversion.outcome = std::move(written);
  conversion.samples = sink.counts().samples;
  conversion.unwritten = sink.counts().others;
  conversion.too_large = sink.counts().too_large;
  conversion.moved = sink.counts().moved;
  return conversion;
}

}  // namespace peregrine
