// script --dlfilter: a user's shared object that filters samples, and may print itself.
#pragma once
#include <memory>
#include <optional>

#include "cmd/script/script_options.h"
#include "script/dlfilter.h"

namespace peregrine::cmd {

class ScriptFilter {
 public:
  // Finds and loads options.dlfilter.
  static Result<std::unique_ptr<ScriptFilter>> open(const ScriptOptions& options, Invocation& call);

  // The sink that the replay is to have in place of `printer`, with the filter of options, which it applies itself. The
  // replay has one worker and slices of one record, so that what the object prints comes before the line it is about.
  Result<ReplaySink*> begin(ReplaySink& printer, Machine& machine, SourceTable& sources, const data::Reader& reader,
                            const std::vector<std::string>& names, ReplayOptions& replay);
  // After the last sample; false: the object reported failure.
  bool finish();

 private:
  ScriptFilter(const ScriptOptions& options, Invocation& call) : options_(options), call_(call) {}
  const ScriptOptions& options_;
  Invocation& call_;
  std::unique_ptr<script::DlFilter> filter_;
  std::optional<script::ReplayAnswers> answers_;
  std::optional<script::FilteredSink> sink_;
};

// --list-dlfilters
int list_dlfilters(Invocation& call);

}  // namespace peregrine::cmd
