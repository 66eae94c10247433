// ListRequest: which events and metrics `list` shows, and how. Immutable once parsed, except for the sources, which
// read this system on demand.
#pragma once
#include <string>
#include <vector>

#include "event/source.h"

namespace peregrine {

struct ListRequest {
  EventSources sources;
  std::vector<std::string> words = {};  // kinds ("sw", "metric"), globs or parts of names; empty: everything
  std::string cpu_type = {};            // "core": only events of these cores
  std::string unit = {};                // a glob: only events of these PMUs
  bool describe = true, long_description = false, details = false, deprecated = false;
  bool json = false;
  bool raw_dump = false;          // names only, on one line, for completion
  bool summary = false;           // the number of events of each kind instead of the events
  std::string program_name = {};  // this program's name, for hints
};

}  // namespace peregrine
