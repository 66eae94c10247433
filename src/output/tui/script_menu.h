// The list of scripts that r shows, and where choosing one leads.
#pragma once
#include "output/tui/settings.h"
#include "output/tui/view.h"

namespace peregrine::tui {

// `settings` outlives what comes of it.
Answer choose_script(const ReportSettings& settings, ScriptSamples of);

}  // namespace peregrine::tui
