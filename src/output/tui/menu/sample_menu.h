// The kept samples of a row (report --samples N), and the samples around one of them.
#pragma once
#include <vector>

#include "analysis/hist/entry/kept_samples.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

// By time. `settings` must outlive the answer, and must be able to run scripts.
Answer choose_sample(const ReportSettings& settings, std::vector<KeptSample> samples);

}  // namespace peregrine::tui
