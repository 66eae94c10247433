#include "cmd/script/script_places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/concurrency/own_process.h"
#include "base/result.h"
#include "session/sandbox/trusted_code.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

}  // namespace

ScriptPlaces ScriptPlaces::find(const Config& config) {
  const fs::path program = own_program();
  ScriptPlaces places;
  places.plugins = (program.parent_path().parent_path() / "lib/peregrine").string();
  places.scripts = places.plugins;
  const auto asked = config.variable("PERF_EXEC_PATH");
  std::error_code error;
  if (asked && fs::is_directory(fs::path(*asked) / "scripts", error)) places.scripts = *asked;
  return places;
}

Result<std::string> ScriptPlaces::usable(const std::string& file) const {
  return are_own() ? Result<std::string>(file) : trusted_code(file);
}

void ScriptPlaces::set_environment(const Config& config) const {
  ::setenv("PERF_EXEC_PATH", scripts.c_str(), 1);
  const std::string path = fmt::format("{}:{}", plugins, config.search_path());
  ::setenv("PATH", path.c_str(), 1);
}

std::optional<script::Language> find_language(std::string_view name) {
  const auto is = [&](std::string_view word) {
    return std::ranges::equal(name, word, [](char a, char b) { return (a | 0x20) == b; });
  };
  if (is("python") || is("py")) return script::Language::Python;
  if (is("perl") || is("pl")) return script::Language::Perl;
  return std::nullopt;
}

Result<bool> is_script_file(const std::string& word) {
  const std::size_t dot = word.rfind('.');
  std::error_code error;
  if (dot == word.npos || !find_language(word.substr(dot + 1)) || !fs::is_regular_file(word, error)) return false;
  if (word.find('/') != word.npos) return true;
  if (const auto usable = trusted_code(word); !usable) return std::unexpected(usable.error());
  return true;
}

Result<ScriptSpec> parse_script_spec(std::string_view text, const ScriptPlaces& places) {
  constexpr std::string_view kLanguages = "must be python:FILE, perl:FILE, FILE.py, FILE.pl or a name listed by -l";
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto language = find_language(text.substr(0, colon));
    if (!language)
      return std::unexpected(Error{ErrorKind::Usage, "invalid language specifier", std::string(kLanguages)});
    return ScriptSpec{*language, std::string(text.substr(colon + 1))};
  }
  const std::size_t dot = text.rfind('.');
  if (const auto language = find_language(dot == std::string_view::npos ? "" : text.substr(dot + 1)))
    return ScriptSpec{*language, std::string(text)};
  std::error_code error;
  for (const auto& [folder, ending] : {std::pair{"python", ".py"}, std::pair{"perl", ".pl"}}) {
    const fs::path path = fs::path(places.scripts) / "scripts" / folder / fmt::format("{}{}", text, ending);
    if (text.empty() || text.find('/') != std::string_view::npos || !fs::exists(path, error)) continue;
    auto file = places.usable(path.string());
    if (!file) return std::unexpected(std::move(file.error()));
    return ScriptSpec{*find_language(folder), std::move(*file)};
  }
  return std::unexpected(Error{ErrorKind::Usage, "invalid script extension", std::string(kLanguages)});
}

}  // namespace peregrine::cmd
