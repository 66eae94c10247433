// The files that screens write to the current folder; each function returns the file's name.
#pragma once
#include <string>
#include <string_view>

#include "analysis/browse/queries.h"
#include "base/result.h"

namespace peregrine {

// Writes to the first of STEM.0, STEM.1, … that does not exist.
Result<std::string> write_rows(const BrowsePage& page, std::string_view stem);
// Writes to FUNCTION.annotation, as linux-perf names it. `event`: the event to show.
Result<std::string> write_code(const AnnotatedCode& code, const std::string& event);

}  // namespace peregrine
