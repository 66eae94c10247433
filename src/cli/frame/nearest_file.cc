#include "cli/frame/nearest_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <vector>

#include "base/nearest.h"
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
  const std::filesystem::path absolute = std::filesystem::absolute(here ? "." : folder);
  const std::vector<std::string> names = Root().sorted_names(absolute.string());
  const std::string_view name = here ? path : path.substr(slash + 1);
  std::string_view found = nearest_of(name, names);
  if (found.empty()) found = name_before_suffix(name, names);
  return found.empty() ? std::string() : fmt::format("did you mean {}{}?", folder, found);
}

std::string nearest_program_hint(std::string_view command, std::string_view search_path) {
  if (command.find('/') != std::string_view::npos) return nearest_file_hint(command);
  std::vector<std::string> names;
  for (const std::string& folder : search_folders(search_path))
    std::ranges::move(Root().sorted_names(folder), std::back_inserter(names));
  const std::string_view found = nearest_of(command, names);
  if (found.empty()) return fmt::format("there is no program '{}' in $PATH", command);
  return fmt::format("did you mean '{}'?", found);
}

}  // namespace peregrine
