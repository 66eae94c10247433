// recorded_facts: where and how a recording was made, from its header, for pages.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "data/reader/reader.h"

namespace peregrine {

// Labels and texts, in order.
using RecordingFacts = std::vector<std::pair<std::string, std::string>>;

// The recorder's command line; empty if unknown.
std::string recorded_command(const data::Reader& reader);
// " on HOST" to end a title; empty if the host is unknown.
std::string on_recorded_host(const data::Reader& reader);
// The command, the machine, its system and processor, as far as they were recorded.
RecordingFacts recorded_facts(const data::Reader& reader);

}  // namespace peregrine
