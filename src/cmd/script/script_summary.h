// script --count-by, --sum, --hist and --pair: summaries instead of single samples.
#pragma once
#include "cmd/script/script_options.h"
#include "event/tracepoint/trace_formats.h"
#include "pipeline/replay/filter.h"

namespace peregrine::cmd {

bool asks_summary(const ScriptOptions& options);
Result<int> print_summary(ScriptOptions& options, const TraceFormats& formats, SampleFilter filter,
                          OpenedRecording& reader, const std::vector<std::string>& names, Invocation& call);

}  // namespace peregrine::cmd
