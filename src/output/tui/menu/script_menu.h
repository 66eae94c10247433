// The list of scripts (key r), and running one.
#pragma once
#include <string>
#include <vector>

#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

// `settings` must outlive the answer.
Answer choose_script(const ReportSettings& settings, ScriptSamples of);

// Replaces the popup by the script's output.
Answer run_script(const ReportSettings& settings, const std::vector<std::string>& words, const ScriptSamples& of);

}  // namespace peregrine::tui
