// ScriptFilter: a user's shared object that filters the samples printed by script, and may print, too.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"
#include "output/sink.h"
#include "pipeline/replay/replay.h"
#include "script/dlfilter.h"
#include "script/replay_answers.h"

namespace peregrine {

struct ScriptFilterRequest {
  std::string name;  // as given by the user
  std::string file;  // the file to load
  std::vector<std::string> arguments = {};
  unsigned max_stack = 127;
};

class ScriptFilter {
 public:
  // Loads the object. `out`, where the samples are printed, must outlive the filter.
  static Result<std::unique_ptr<ScriptFilter>> open(ScriptFilterRequest request, Sink& out);

  const std::string& name() const { return request_.name; }

  // Returns the sink to replay into instead of `printer`. It applies the filter of `replay` itself, and sets one worker
  // and slices of one record, so that the object's output precedes the line of its sample. All arguments but `replay`
  // must outlive it. Errors (System): the object refuses to start.
  Result<ReplaySink*> begin(ReplaySink& printer, Machine& machine, SourceTable& sources, const data::Reader& reader,
                            const std::vector<std::string>& names, ReplayOptions& replay);
  // Call after the last sample. False: the object reported failure.
  bool finish();

 private:
  ScriptFilter(ScriptFilterRequest request, Sink& out) : request_(std::move(request)), out_(out) {}

  ScriptFilterRequest request_;
  Sink& out_;
  std::unique_ptr<script::DlFilter> filter_;
  std::optional<script::ReplayAnswers> answers_;
  std::optional<script::FilteredSink> sink_;
};

}  // namespace peregrine
