#include "session/script/named_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <map>
#include <sstream>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/judged_file.h"

namespace peregrine {

namespace {

constexpr std::size_t kMostShellText = std::size_t{1} << 20;  // shell files are a few lines
constexpr std::string_view kLanguageFolders[] = {"python", "perl"};

// Fills in the script's data from its shell file.
void read_script_head(const std::string& path, NamedScript& script) {
  std::istringstream in(read_regular_file(path, kMostShellText).value_or(""));
  std::string line;
  const auto take = [&](std::string_view key, std::string& into) {
    if (!line.starts_with(key)) return;
    const std::size_t start = line.find_first_not_of(" \t", key.size());
    into = start == std::string::npos ? std::string() : line.substr(start);
  };
  for (int count = 0; count < 20 && std::getline(in, line); ++count) {
    take("# description:", script.description);
    take("# args:", script.arguments);
  }
}

std::size_t marks_in(std::string_view text, std::string_view marks) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [&](char c) { return marks.find(c) != std::string_view::npos; }));
}

std::size_t required_arguments(const NamedScript& script) { return marks_in(script.arguments, "<"); }
bool takes_options(const NamedScript& script) { return script.arguments.find("[-") != std::string::npos; }

}  // namespace

std::vector<NamedScript> named_scripts(const std::string& folder) {
  std::map<std::string, NamedScript> found;
  for (const std::string_view language : kLanguageFolders) {
    const std::string shell_files = fmt::format("{}/scripts/{}/bin", folder, language);
    for (const std::string& file : names_in_folder(shell_files)) {
      const std::string whole = shell_files + '/' + file;
      if (!is_regular_file(whole)) continue;
      for (const std::string_view ending : {"-record", "-report"}) {
        if (!file.ends_with(ending)) continue;
        const std::string name = file.substr(0, file.size() - ending.size());
        NamedScript& script = found[name];
        script.name = name;
        std::string& path = ending == "-report" ? script.report : script.record;
        if (path.empty()) path = whole;
      }
    }
  }
  std::vector<NamedScript> scripts;
  for (auto& [name, script] : found) {
    if (!script.report.empty()) read_script_head(script.report, script);
    scripts.push_back(std::move(script));
  }
  return scripts;
}

std::optional<NamedScript> find_named_script(const std::string& folder, std::string_view name) {
  for (NamedScript& script : named_scripts(folder))
    if (script.name == name) return std::move(script);
  return std::nullopt;
}

Result<> check_script_arguments(const NamedScript& script, const std::vector<std::string>& arguments) {
  if (takes_options(script) || arguments.size() <= marks_in(script.arguments, "<[")) return {};
  const std::string takes = script.arguments.empty() ? "no arguments" : script.arguments;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} takes {}: unexpected '{}'", script.name, takes,
                                                             arguments[marks_in(script.arguments, "<[")])});
}

Result<LiveWords> split_live_words(const NamedScript& script, std::vector<std::string> words) {
  const auto mark = std::ranges::find(words, "--");
  auto own = mark;  // the first argument that is not the script's
  const std::size_t required = required_arguments(script);
  if (mark == words.end() && !script.name.ends_with("top"))
    own = words.begin() + static_cast<std::ptrdiff_t>(std::min(required, words.size()));
  if (!takes_options(script))
    own = std::find_if(words.begin(), own, [](const std::string& word) { return word.starts_with('-'); });
  LiveWords split{{words.begin(), own}, {own, words.end()}};
  if (split.report.size() < required) {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} needs {}", script.name, script.arguments)}.with_hint(
        fmt::format("usage: script {} {} -- COMMAND", script.name, script.arguments)));
  }
  PEREGRINE_TRY(check_script_arguments(script, split.report));
  return split;
}

}  // namespace peregrine
