#include "session/script/script_filter.h"

#include <cstdio>
#include <expected>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "data/header/recorded_arch.h"

namespace peregrine {

Result<std::unique_ptr<ScriptFilter>> ScriptFilter::open(ScriptFilterRequest request, Sink& out) {
  std::unique_ptr<ScriptFilter> made(new ScriptFilter(std::move(request), out));
  auto filter = script::DlFilter::open(made->request_.file, made->request_.arguments);
  if (!filter) return std::unexpected(std::move(filter.error()));
  made->filter_ = std::move(*filter);
  return made;
}

Result<ReplaySink*> ScriptFilter::begin(ReplaySink& printer, Machine& machine, SourceTable& sources,
                                        const data::Reader& reader, const std::vector<std::string>& names,
                                        ReplayOptions& replay) {
  const auto nothing = [](std::string_view) { return std::optional<std::string>(); };
  answers_.emplace(machine.dsos(), sources, data::recorded_arch(reader.header().features), request_.max_stack, nothing);
  replay.workers = 1;
  replay.slice_records = 1;
  sink_.emplace(printer, *filter_, *answers_, reader.evlist(), names, std::exchange(replay.filter, {}));
  sink_->set_output([this] { static_cast<void>(out_.flush()); }, [] { std::fflush(nullptr); });
  PEREGRINE_TRY(out_.flush());
  if (!filter_->start(*answers_)) return fail(ErrorKind::System, "{}: its start() failed", request_.name);
  return &*sink_;
}

bool ScriptFilter::finish() {
  static_cast<void>(out_.flush());
  const bool stopped = filter_->stop();
  std::fflush(nullptr);
  return stopped && !sink_->failed();
}

}  // namespace peregrine
