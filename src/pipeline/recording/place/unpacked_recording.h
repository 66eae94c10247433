// put_recording: a recording that was unpacked, or copied, takes its place.
//
// It is copied beside the place first, as a draft, and exchanged with what is there when it is whole: whatever fails,
// one of the two recordings has the name. Only a recording is replaced (recording_entry.h).
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// `source`: a file, or a folder of files. Errors: Usage when something is there and `replace` is not set; Denied when
// it is no recording; System.
Result<> put_recording(const std::string& source, const std::string& path, bool replace);

}  // namespace peregrine
