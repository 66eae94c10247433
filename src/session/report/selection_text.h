// The options that select samples, as given by the user: "--comms make --pid 7". For messages.
#pragma once
#include <string>

#include "session/report/report_request.h"

namespace peregrine {

// Empty: all samples are selected.
std::string selection_text(const SampleSelection& selection);

}  // namespace peregrine
