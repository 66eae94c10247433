// event_names: the displayed name of each event of a recording: the recorded name, else "system:name" from the tracing
// data, else derived from its attr. Safe for a terminal.
#pragma once
#include <string>
#include <vector>

#include "data/header/evlist.h"
#include "data/reader/reader.h"

namespace peregrine {

std::vector<std::string> event_names(const data::Reader& reader);
std::vector<std::string> event_names(const data::Evlist& evlist);  // without tracing data

}  // namespace peregrine
