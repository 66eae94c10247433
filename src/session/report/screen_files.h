// The files that screens write into the current folder; each function returns the file's name.
#pragma once
#include <string>
#include <string_view>

#include "analysis/browse/queries.h"
#include "base/result.h"

namespace peregrine {

// Into the first of STEM.0, STEM.1, … that is not there yet.
Result<std::string> write_rows(const BrowsePage& page, std::string_view stem);
// Into FUNCTION.annotation, as linux-perf names it. `event`: whose samples are counted.
Result<std::string> write_code(const AnnotatedCode& code, const std::string& event);

}  // namespace peregrine
