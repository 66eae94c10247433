// Runs a user's script, in Python or Perl, on the samples of a recording; and generates a script to start from.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "script/interpreter.h"
#include "session/field_report.h"
#include "session/script/script_lines_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct UserScriptRequest {
  script::Language language = script::Language::Python;
  std::string file;
  std::vector<std::string> arguments = {};  // arguments of the script, without its name
  std::string plugins;                      // folder of the interpreter plug-ins
  ScriptStacks stacks = {};
  // The user's settings, which the script can query.
  std::function<std::optional<std::string>(std::string_view key)> setting;
};

// Why the file cannot be read, as errno text; empty: readable. An interpreter would block on a FIFO.
std::string script_obstacle(const std::string& file);

struct ScriptedSamples {
  data::Reader& reader;
  SampleFilter filter;
  EventSwitch gate;
  SymbolPlaces places;
  FieldReportRequest conditions = {};
};

// Returns the script's exit code. Errors: Usage, invalid conditions; the plug-in cannot be loaded; a broken
// recording.
Result<int> run_user_script(const UserScriptRequest& request, ScriptedSamples samples, SessionListener& listener);

// A script with a handler for each of the recording's tracepoints.
std::string starter_script(script::Language language, const data::Reader& reader);

}  // namespace peregrine
