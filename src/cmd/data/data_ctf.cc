#include "cmd/data/data_ctf.h"

#include "base/text/counted.h"
#include "cmd/recording/reading_watch.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "output/ctf/ctf_clock.h"
#include "output/ctf/ctf_folder.h"
#include "output/ctf/ctf_trace.h"
#include "output/ctf/ctf_uuid.h"
#include "session/event_names.h"

namespace peregrine::cmd {

Result<int> convert_to_ctf(const CtfOptions& options, Invocation& call) {
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  const SymbolOptions symbols{.force = options.force};
  PEREGRINE_TRY(decode_recording(*reader, TraceChoice(), usual_itrace(), symbols, call));
  auto clock = recorded_ctf_clock(*reader, options.wall_clock);
  if (!clock) return std::unexpected(std::move(clock.error()));
  auto times = choose_times(options.times, *reader);
  if (!times) return std::unexpected(std::move(times.error()));
  auto uuid = new_ctf_uuid(), clock_uuid = new_ctf_uuid();
  if (!uuid) return std::unexpected(std::move(uuid.error()));
  if (!clock_uuid) return std::unexpected(std::move(clock_uuid.error()));
  auto folder = CtfFolder::prepare(options.folder, options.force);
  if (!folder) return std::unexpected(std::move(folder.error()));
  CtfTraceWriter writer(*reader, {.prefix = folder->prefix(),
                                  .uuid = *uuid,
                                  .clock_uuid = *clock_uuid,
                                  .clock = std::move(*clock),
                                  .all = options.all,
                                  .names = [&reader] { return event_names(*reader); }});
  Machine machine(symbol_places(symbols, call, *reader));
  ReplayOptions replay_options;
  replay_options.workers = 1;
  replay_options.unwind = false;
  replay_options.filter.times = std::move(*times);
  replay_options.shown = writer.shown();
  Replay replay(*reader, machine, std::move(replay_options));
  ReadingWatch watch(writer, reader->header(), call.messages);
  const Result<> outcome = replay.run(watch);
  const Result<> written = writer.finish();
  PEREGRINE_TRY(watch.end(options.folder, kPartHint));
  warn_about_losses(call, replay.account(), reader->account());
  tell_decoding(*reader, call);
  if (!written) return std::unexpected(written.error());
  if (!outcome) return std::unexpected(outcome.error());
  PEREGRINE_TRY(folder->take());
  if (writer.moved() != 0)
    call.messages.warning(counted(writer.moved(), "record has the time of the one before: it came too late",
                                  "records have the time of the one before: they came too late"));
  const std::string input = recording_name(options.input);
  call.messages.verbatim(
      fmt::format("[ perf data convert: Converted '{}' into CTF data '{}' ]\n", input, options.folder));
  const std::string others = writer.others() == 0 ? "" : fmt::format(", {} non-samples", writer.others());
  call.messages.verbatim(fmt::format("[ perf data convert: Converted and wrote {:.3f} MB ({} samples{}) ]\n",
                                     static_cast<double>(writer.bytes()) / 1024.0 / 1024.0, writer.samples(), others));
  return 0;
}

}  // namespace peregrine::cmd
