#include "session/script/selecting_sink.h"

#include <expected>

#include "analysis/field/sample_field.h"
#include "pipeline/replay/recorded_formats.h"
#include "session/event_names.h"
#include "session/recording/device_names.h"

namespace peregrine {

Result<SampleValues> values_for(const FieldReport& report, const data::Evlist& evlist,
                                const std::vector<std::string>& names, const TraceFormats& formats,
                                const PrintNames& devices) {
  std::vector<SampleField> fields;
  for (const std::string& name : report.fields()) {
    auto field = SampleField::make(name, evlist, names, formats, &devices);
    if (!field) return std::unexpected(std::move(field.error()));
    fields.push_back(std::move(*field));
  }
  return SampleValues(std::move(fields));
}

Result<std::unique_ptr<SelectingSink>> SelectingSink::make(const FieldReportRequest& request,
                                                           const data::Reader& reader) {
  if (!request.has_conditions()) return nullptr;
  auto formats = recorded_formats(reader);  // damaged ones are reported where fields are printed
  std::unique_ptr<SelectingSink> made(new SelectingSink(formats ? std::move(*formats) : TraceFormats()));
  made->devices_ = recorded_device_names(made->formats_, reader, Root());
  const std::vector<std::string> names = event_names(reader);
  auto report = FieldReport::make({.where = request.where, .from = request.from, .until = request.until},
                                  SampleValues::source(reader.evlist(), names, made->formats_));
  if (!report) return std::unexpected(std::move(report.error()));
  auto values = values_for(*report, reader.evlist(), names, made->formats_, made->devices_);
  if (!values) return std::unexpected(std::move(values.error()));
  made->report_.emplace(std::move(*report));
  made->values_.emplace(std::move(*values));
  return made;
}

ReplaySink& SelectingSink::before(ReplaySink& inner, ReplayOptions& options) {
  inner_ = &inner;
  options.workers = 1;
  return *this;
}

void SelectingSink::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  values_->point_at(sample, resolver);
  if (report_->selects(*values_)) inner_->sample(sample, resolver, worker);
}

void SelectingSink::side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) {
  if (report_->has_begun() && !report_->ended()) inner_->side_band(record, resolver, worker);
}

}  // namespace peregrine
