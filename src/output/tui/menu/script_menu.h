// The list of scripts that r shows, and where choosing one leads.
#pragma once
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

// `settings` outlives what comes of it.
Answer choose_script(const ReportSettings& settings, ScriptSamples of);

// The popup gives its place to what the script says.
Answer run_script(const ReportSettings& settings, const std::vector<std::string>& words, const ScriptSamples& of);

}  // namespace peregrine::tui
