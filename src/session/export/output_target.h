// write_output(): writes a command's output to a file instead of standard output.
#pragma once
#include <functional>
#include <string>

#include "base/file/content_kind.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// Whole: the file is complete or absent. AsItGoes: others can read it while it grows.
enum class Writing : u8 { Whole, AsItGoes };

// Errors: Usage, `path` is the same file as `recording`.
Result<> check_output(const std::string& path, const std::string& recording);

// Calls `print` with a sink for the file and returns its exit code. If it fails (an error or nonzero code) without
// output, no new file is left. Errors: those of `print` and of create_output(); writing.
Result<int> write_output(const std::string& path, Writing writing, ContentKind written,
                         const std::function<Result<int>(Sink&)>& print);

}  // namespace peregrine
