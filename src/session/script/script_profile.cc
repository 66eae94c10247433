#include "session/script/script_profile.h"

#include <expected>
#include <utility>

#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/result.h"
#include "base/text/words.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"
#include "session/export/profile_format.h"
#include "session/recording/losses.h"
#include "session/recording_read.h"
#include "session/script/selecting_sink.h"

namespace peregrine {

Result<> write_script_profile(const ScriptProfileRequest& request, ProfiledSamples samples, const ProfileOutput& output,
                              SessionListener& listener) {
  data::Reader& reader = samples.reader;
  const auto selection = SelectingSink::make(samples.conditions, reader);
  if (!selection) return std::unexpected(selection.error());
  Machine machine(std::move(samples.places));
  SourceTable sources(machine.dsos(), true);
  const ProfileFormat& format = request.format;
  PEREGRINE_TRY(check_times(format, reader.evlist()));
  const bool timed = format.is_timed() || (format.name == "speedscope" && has_times(reader.evlist()));
  CollectRequest collected;
  collected.sources = &sources;
  collected.inlined = request.inlined;
  collected.max_stack = request.stacks.max_stack;
  collected.event_switch = samples.gate;
  add_words(collected.filter.dsos, request.dsos);
  add_words(collected.filter.symbols, request.symbols);
  TraceTexts traces(reader, false);
  request_profile(format, timed, reader.evlist(), traces, collected);
  collected.chains = !request.stacks.hidden;
  auto collector = HistCollector::make(std::move(collected));
  if (!collector) return std::unexpected(std::move(collector.error()));
  ReadRequest reading{.file = request.file};
  reading.replay.filter = std::move(samples.filter);
  request.stacks.apply(reading.replay);
  if (samples.gate.any()) reading.replay.workers = 1;
  ReplaySink& first = selected(*selection, **collector, reading.replay);
  const auto read = read_recording(reader, machine, first, std::move(reading), listener);
  if (!read) return std::unexpected(read.error());
  warn_about_losses(listener, read->account, reader.account());
  const Hists hists = (*collector)->finish();
  auto written = write_profile(format, {hists, machine, sources, reader, traces, timed}, output, listener);
  sources.keep_answers();
  return read->outcome ? written : read->outcome;
}

}  // namespace peregrine
