// Config: perfconfig files and the environment, read once at the start and passed down; no other code reads either.
//
// Files: /etc/perfconfig and ~/.perfconfig, later values win; PERF_CONFIG names the only file to read. Settings name
// commands that are run, so a file of another user, unless that user is root, and a file that everybody can write are
// ignored with a warning; for root, so is ~/.perfconfig when HOME belongs to another user. Syntax: [section], [section
// "sub"], key = value, # and ;.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  // `environment`: NAME=value strings. Problems of files are left in `problems`, they stop nothing.
  static Config load(std::span<const std::string> environment, std::vector<std::string>& problems);
  // For tests.
  static Config of(std::vector<std::string> environment, std::vector<Setting> settings);

  // The last value given to a key such as "report.sort_order".
  std::optional<std::string_view> find(std::string_view key) const;
  std::string text(std::string_view key, std::string_view otherwise) const;
  // true/yes/on/1 and false/no/off/0, as git spells them. Errors: Usage, with the key.
  Result<bool> flag(std::string_view key, bool otherwise) const;
  Result<i64> number(std::string_view key, i64 otherwise) const;

  // An environment variable; absent and empty differ.
  std::optional<std::string_view> variable(std::string_view name) const;
  // Where execvp(3) looks for programs.
  std::string_view search_path() const { return variable("PATH").value_or("/usr/bin:/bin"); }
  std::span<const std::string> environment() const { return environment_; }

  std::string home() const;       // HOME, empty if unset
  std::string user_file() const;  // the file that changes go to: PERF_CONFIG, else ~/.perfconfig; empty without a home
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

// "Section.Sub.NAME" as Setting::key spells it.
std::string setting_key(std::string_view name);

inline constexpr std::string_view kSystemConfig = "/etc/perfconfig";
// Those of one file, if it is there and can be trusted; else none, and a problem if it should be there.
std::vector<Setting> read_config_file(const std::string& path, bool must_exist, std::vector<std::string>& problems);

// The settings of one file's text; problems get "name:line: what".
std::vector<Setting> parse_config(std::string_view text, std::string_view name, std::vector<std::string>& problems);

}  // namespace peregrine
