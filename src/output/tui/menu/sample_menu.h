// The samples of a row that were kept (report --samples N), and what was sampled around one of them.
#pragma once
#include <vector>

#include "analysis/hist/entry/kept_samples.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

// In order of time. `settings` outlives what comes of it, and can run scripts.
Answer choose_sample(const ReportSettings& settings, std::vector<KeptSample> samples);

}  // namespace peregrine::tui
