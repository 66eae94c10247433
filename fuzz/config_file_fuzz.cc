// A perfconfig file, and the editor that changes one setting in it: the first line of the input is "section.key=value",
// the rest is the file. Afterwards the file has that setting, and all others are unchanged.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "cli/frame/config.h"
#include "cli/frame/config_edit.h"
#include "input.h"

namespace {

using namespace peregrine;
using Settings = std::vector<Setting>;

Settings parsed(std::string_view text) {
  std::vector<std::string> problems;
  return parse_config(text, "input", problems);
}

// The last value of each key except `without`.
std::vector<std::pair<std::string, std::string>> values(const Settings& settings, const std::string& without) {
  std::vector<std::pair<std::string, std::string>> last;
  for (const Setting& setting : settings) {
    if (setting.key == without) continue;
    const auto same = std::ranges::find(last, setting.key, [](const auto& pair) { return pair.first; });
    if (same == last.end())
      last.emplace_back(setting.key, setting.value);
    else
      same->second = setting.value;
  }
  std::ranges::sort(last);
  return last;
}

}  // namespace

void peregrine::fuzz_config_file(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view word = text.substr(0, line), file = text.substr(std::min(line + 1, text.size()));
  const Settings before = parsed(file);
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || equals == word.size()) return;
  // \x01 stands for a newline in the value.
  std::string value(word.substr(equals + 1));
  std::ranges::replace(value, '\x01', '\n');
  const auto changed = with_setting(file, name.substr(0, dot), name.substr(dot + 1), value);
  if (!changed) return;
  const std::string key = setting_key(name);
  const Settings after = parsed(*changed);
  const auto set = std::ranges::find(after.rbegin(), after.rend(), key, &Setting::key);
  if (set == after.rend() || set->value != value || values(before, key) != values(after, key)) std::abort();
}
