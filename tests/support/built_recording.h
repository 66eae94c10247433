// A recording that a test has built, opened as a command opens a file.
#pragma once
#include <stdexcept>
#include <utility>

#include "data/reader/reader.h"
#include "support/memory_file.h"

namespace peregrine::support {

// `recording`: a PerfDataBuilder or a TracepointRecording.
template <class Recording>
data::Reader open_built(const Recording& recording) {
  auto reader = data::Reader::open_fd(memory_file(recording.bytes()), "perf.data");
  if (!reader) throw std::runtime_error(reader.error().message);
  return std::move(*reader);
}

}  // namespace peregrine::support
