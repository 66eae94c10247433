// config_edit: changes one setting in the text of a perfconfig file and keeps everything else.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine::cmd {

// Replaces the last line that sets `key` in `section`, in whatever case they are written there; else adds one at the
// end of the section, or the section at the end of the text. Errors: Usage, when a file cannot hold such a name or
// value.
Result<std::string> with_setting(std::string_view text, std::string_view section, std::string_view key,
                                 std::string_view value);

// Does so to a file, which takes its new form at once or not at all; one that is not there is made. Errors: Usage,
// Denied, System, with the path.
Result<> change_config_file(const std::string& path, std::string_view section, std::string_view key,
                            std::string_view value);

}  // namespace peregrine::cmd
