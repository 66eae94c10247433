#include "session/report/report_session.h"

#include <expected>
#include <utility>

#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/key/recorded_names.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"
#include "session/export/profile_export.h"

namespace peregrine {

ReportSession::ReportSession(data::Reader& reader, const ReportRequest& request, SampleSource source)
    : reader_(reader),
      request_(request),
      source_(source),
      profile_(reader, request.grouping.raw_trace, recorded_fields(reader, request.grouping.raw_trace)) {}

Result<> ReportSession::make_plan() {
  auto plan = peregrine::make_plan(request_, reader_, source_, profile_.fields());
  if (!plan) return std::unexpected(std::move(plan.error()));
  plan_ = std::move(*plan);
  return {};
}

Result<> ReportSession::choose(const ReportCollection& collection) {
  collection_ = &collection;
  auto collect = collect_request(request_, plan_, reader_);
  if (!collect) return std::unexpected(std::move(collect.error()));
  collect_ = std::move(*collect);
  if (collection.pictures != nullptr && collection.pictures->any())
    request_pictures(*collection.pictures, reader_.header(), plan_.names, page_sinks_, collect_);
  time_quantum_ = collect_.time_quantum;
  collect_.event_switch = collection.event_switch;
  if (collection.zooms) {
    collect_.kept_samples = collection.kept_samples;
    add_zoom_keys(collect_);
  }
  return {};
}

Result<bool> ReportSession::open(SymbolPlaces places, SessionListener& listener) {
  const ProfileFormat* const format = collection_->profile;
  profile_.open(std::move(places), request_.grouping.full_source_path || format != nullptr);
  if (format != nullptr) request_profile(*format, format->is_timed(), reader_.evlist(), profile_.traces(), collect_);
  PEREGRINE_TRY(profile_.collect(std::move(collect_)));
  auto filter = choose_sample_filter(request_.selection, reader_, listener);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return false;
  filter_ = std::move(**filter);
  return true;
}

ReplayOptions ReportSession::replay_options() {
  return peregrine::replay_options(request_, plan_, profile_.keys(), collection_->event_switch, std::move(filter_));
}

Result<RecordingRead> ReportSession::read(Sink* dump, std::string file, SessionListener& listener) {
  auto read = read_recording(reader_, profile_.machine(), profile_.collector(),
                             {.replay = replay_options(), .dump = dump, .file = std::move(file)}, listener);
  plan_.names = event_names(reader_);  // a pipe announces its events while it is read
  return read;
}

void ReportSession::finish() {
  HistCollector& collector = profile_.collector();
  thread_reads_ = collector.thread_reads();
  unknown_types_ = collector.unknown_types();
  RecordedNames recorded = collector.recorded_names();
  hists_.emplace(profile_.finish());
  naming_.emplace(profile_.naming(request_.look.parameters));
  naming_->set_recorded(std::move(recorded));
}

std::string ReportSession::unknown_types() const {
  u64 samples = 0;
  for (u32 event = 0; event < hists_->event_count(); ++event) samples += hists_->totals(event).shown_samples;
  return unknown_types_text(unknown_types_, samples);
}

}  // namespace peregrine
