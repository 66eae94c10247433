// Config: perfconfig files and the environment, read once at the start and passed down; no other code reads either.
//
// Files: /etc/perfconfig and ~/.perfconfig, later values win; PERF_CONFIG replaces both. Settings can name commands to
// run, so these files are ignored with a warning: files of other users except root, world-writable files, and, for
// root, ~/.perfconfig if HOME belongs to another user. Syntax: [section], [section "sub"], key = value, # and ;.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct Setting {
  std::string key;  // "section.name" or "section.sub.name", section and name in lower case
  std::string value;
};

class Config {
 public:
  Config() = default;
  // `environment`: NAME=value strings. Problems with files are added to `problems` and are never fatal.
  static Config load(std::span<const std::string> environment, std::vector<std::string>& problems);
  // For tests.
  static Config of(std::vector<std::string> environment, std::vector<Setting> settings);

  // Returns the last value of a key such as "report.sort_order".
  std::optional<std::string_view> find(std::string_view key) const;
  std::string text(std::string_view key, std::string_view otherwise) const;
  // Parses true/yes/on/1 and false/no/off/0, as git does. Errors: Usage, with the key.
  Result<bool> flag(std::string_view key, bool otherwise) const;
  Result<i64> number(std::string_view key, i64 otherwise) const;

  // Returns an environment variable; an absent one differs from an empty one.
  std::optional<std::string_view> variable(std::string_view name) const;
  // The path in which execvp(3) searches for programs.
  std::string_view search_path() const { return variable("PATH").value_or("/usr/bin:/bin"); }
  std::span<const std::string> environment() const { return environment_; }

  std::string home() const;       // HOME, empty if unset
  std::string user_file() const;  // the file to change: PERF_CONFIG, else ~/.perfconfig; empty without a home
  std::string buildid_directory()
      const;                            // --buildid-dir, PERF_BUILDID_DIR, buildid.dir, else ~/.debug; /dev/null: empty
  std::string cache_directory() const;  // $XDG_CACHE_HOME/peregrine, else ~/.cache/peregrine; empty without a home
  std::string thousands_separator() const;  // of LC_ALL, LC_NUMERIC or LANG; empty in the C locale
  void set(std::string key, std::string value) { settings_.push_back({std::move(key), std::move(value)}); }
  std::span<const Setting> settings() const { return settings_; }

 private:
  std::vector<std::string> environment_;
  std::vector<Setting> settings_;
};

// Converts "Section.Sub.NAME" to the form of Setting::key.
std::string setting_key(std::string_view name);

inline constexpr std::string_view kSystemConfig = "/etc/perfconfig";
// Returns the settings of a file if it exists and can be trusted. Otherwise returns none, and reports a problem if the
// file must exist.
std::vector<Setting> read_config_file(const std::string& path, bool must_exist, std::vector<std::string>& problems);

// Parses settings. Problems have the form "name:line: what".
std::vector<Setting> parse_config(std::string_view text, std::string_view name, std::vector<std::string>& problems);

}  // namespace peregrine
