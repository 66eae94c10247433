// The key r of screens: what `script` can show of the recording, with its output as text for a view.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "output/tui/screen/settings.h"

namespace peregrine {

// Single samples, options that the user types, and the scripts in `folder` that need only recorded events. `events`:
// names of the recorded ones.
std::vector<tui::ScriptChoice> script_choices(const std::string& folder, const std::vector<std::string>& events);

// The command line of `script` for a choice. `program`: its name in messages.
std::vector<std::string> script_line(const std::string& program, const std::string& recording,
                                     const std::vector<std::string>& words, const tui::ScriptSamples& of);

// Runs a command line of this program in another process. `line`: its name, then arguments. The text has both outputs.
// The process and its children are killed with the returned source. Errors: System.
Result<std::unique_ptr<tui::TextSource>> start_script(std::vector<std::string> line);

}  // namespace peregrine
