#include "cli/frame/nearest_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <vector>

#include "base/nearest.h"
#include "cli/option/option.h"
#include "sys/process/program_path.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::size_t kMostNames = 20'000;  // larger directories are not searched

std::string_view nearest_of(std::string_view word, const std::vector<std::string>& names) {
  if (names.size() > kMostNames) return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  return nearest(word, views).value_or(std::string_view());
}

// $PATH has so many short names that almost any word is near one, so fewer edits are allowed than for other names.
std::string_view nearest_program(std::string_view word, const std::vector<std::string>& names) {
  if (names.size() > kMostNames) return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  return nearest_within(word.size() < 4 ? 0 : word.size() < 8 ? 1 : 2, word, views).value_or(std::string_view());
}

// Finds a file "perf.data" for "perf.data.old".
std::string_view name_before_suffix(std::string_view word, const std::vector<std::string>& names) {
  for (std::size_t dot = word.rfind('.'); dot != std::string_view::npos && dot > 0; dot = word.rfind('.', dot - 1))
    if (const auto name = std::ranges::find(names, word.substr(0, dot)); name != names.end()) return *name;
  return {};
}

}  // namespace

std::string nearest_file_hint(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const bool here = slash == std::string_view::npos;
  const std::string_view folder = here ? std::string_view() : path.substr(0, slash + 1);
  std::error_code gone;  // the current folder may have been removed
  const std::filesystem::path absolute = std::filesystem::absolute(here ? "." : folder, gone);
  if (gone) return {};
  const std::vector<std::string> names = Root().sorted_names(absolute.string());
  const std::string_view name = here ? path : path.substr(slash + 1);
  std::string_view found = nearest_of(name, names);
  if (found.empty()) found = name_before_suffix(name, names);
  return found.empty() ? std::string() : fmt::format("did you mean '{}{}'?", folder, found);
}

std::string nearest_program_hint(std::string_view word, const ProgramPlaces& places) {
  // The program exists: its interpreter is missing.
  if (is_executable(find_program(word, places.search_path))) return {};
  if (word.contains('/')) return nearest_file_hint(word);
  if (is_executable(fmt::format("./{}", word))) return fmt::format("did you mean './{}'?", word);
  const auto is_shown = [&](const Command* command) {
    return command->name == word && command->shown == Shown::Everywhere;
  };
  if (std::ranges::any_of(places.commands, is_shown))
    return fmt::format("did you mean '{} {}'?", places.own_name, word);
  std::vector<std::string> names;
  for (const std::string& folder : search_folders(places.search_path))
    std::ranges::move(Root().sorted_names(folder), std::back_inserter(names));
  const std::string_view found = nearest_program(word, names);
  if (found.empty()) return fmt::format("program '{}' not found in $PATH", word);
  return fmt::format("did you mean '{}'?", found);
}

}  // namespace peregrine
