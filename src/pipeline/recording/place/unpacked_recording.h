// put_recording: puts an unpacked or copied recording in place.
//
// Copies it next to the place as a draft, and exchanges the two when complete: on any failure, one of the two
// recordings has the name. Replaces only recordings (recording_entry.h).
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// `source`: a file, or a folder of files. Errors: Usage, something exists and `replace` is not set; Denied, it is not a
// recording; System.
Result<> put_recording(const std::string& source, const std::string& path, bool replace);

}  // namespace peregrine
