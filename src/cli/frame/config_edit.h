// Changes one setting in the text of a perfconfig file and keeps everything else.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

// An argument of `config`: "report.children" reads a setting, "report.children=false" changes it.
struct SettingWord {
  std::string section, key;
  std::optional<std::string> value;
};
// Blanks around name and value are ignored; the section ends at the last dot. Errors: Usage, with linux-perf's text:
// the section, the key or the value is empty.
Result<SettingWord> parse_setting_word(std::string_view text);

// Returns `text` with the setting. Replaces the last line that sets `key` in `section`, in any case; otherwise adds a
// line at the end of the section, or the section at the end of the text. Errors: Usage, a file cannot hold such a name.
Result<std::string> with_setting(std::string_view text, std::string_view section, std::string_view key,
                                 std::string_view value);

// Does the same to a file, which changes completely or not at all, and is created if it does not exist. Errors: Usage,
// Denied, System, with the path.
Result<> change_config_file(const std::string& path, std::string_view section, std::string_view key,
                            std::string_view value);

}  // namespace peregrine
