#include "cli/frame/config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/number/parse_number.h"
#include "base/text/trim.h"

namespace peregrine {

namespace {

constexpr std::size_t kConfigLimit = std::size_t{1} << 20;

std::string lower_name(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return result;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

// The position of the bracket that closes a line beginning with `[`. Quoted names may contain brackets.
std::size_t end_of_header(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] == ']' && !quoted) return at;
  }
  return std::string_view::npos;
}

// Parses `section` or `section "sub"` between the brackets. Returns an empty string if it is neither.
std::string section_of(std::string_view text) {
  const std::size_t quote = text.find('"');
  const std::string_view name = trim(text.substr(0, quote));
  if (!is_name(name)) return {};
  if (quote == std::string_view::npos) return lower_name(name);
  const std::size_t end = text.rfind('"');
  if (end == quote || !trim(text.substr(end + 1)).empty()) return {};
  return fmt::format("{}.{}", lower_name(name), text.substr(quote + 1, end - quote - 1));
}

// Resolves quotes and escapes and removes a trailing comment.
std::string value_of(std::string_view text) {
  std::string value;
  bool quoted = false;
  std::size_t kept = 0;  // blanks before this offset are part of the value
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      quoted = !quoted;
      kept = value.size();
      continue;
    }
    if (!quoted && (c == '#' || c == ';')) break;
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
      kept = value.size();
      continue;
    }
    value += c;
    if (quoted || (c != ' ' && c != '\t' && c != '\r')) kept = value.size();
  }
  value.resize(kept);
  return value;
}

}  // namespace

std::vector<Setting> parse_config(std::string_view text, std::string_view name, std::vector<std::string>& problems) {
  std::vector<Setting> settings;
  std::string section;
  unsigned line_number = 0;
  auto bad = [&] { problems.push_back(fmt::format("bad config file line {} in {}", line_number, name)); };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.starts_with('[')) {
      const std::size_t close = end_of_header(line);
      section = close == std::string_view::npos ? std::string() : section_of(line.substr(1, close - 1));
      if (section.empty()) {
        bad();
        continue;
      }
      line = trim(line.substr(close + 1));  // a setting or a comment may follow
    }
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    const std::size_t equals = line.find('=');
    const std::string_view key = trim(line.substr(0, equals));
    if (section.empty() || !is_name(key)) {
      bad();
      continue;
    }
    settings.push_back({fmt::format("{}.{}", section, lower_name(key)),
                        equals == std::string_view::npos ? "true" : value_of(trim(line.substr(equals + 1)))});
  }
  return settings;
}

std::vector<Setting> read_config_file(const std::string& path, bool must_exist, std::vector<std::string>& problems) {
  const auto unreadable = [&] {
    if (must_exist) problems.push_back(fmt::format("cannot read config file {}", path));
    return std::vector<Setting>();
  };
  const FileRules rules{.owners = owners_of(TrustedOwner::SelfOrRoot), .no_writers = S_IWOTH};
  const auto file = open_and_judge(path, rules);
  struct stat status{};
  if (!file) {
    const bool there = ::stat(path.c_str(), &status) == 0;
    if (there && !must_exist) problems.push_back(file.error().message);
    return unreadable();
  }
  if (!is_trusted(file->status, rules.owners)) {
    problems.push_back(fmt::format("file {} not owned by current user or root, ignoring it", path));
    return {};
  }
  if (file->fault == FileFault::Kind) return {};  // /dev/null means no settings
  if (file->fault == FileFault::Writable) {
    problems.push_back(fmt::format("file {} is world-writable, ignoring it (chmod o-w)", path));
    return {};
  }
  auto text = read_all(file->fd.get(), path, kConfigLimit);
  if (text) return parse_config(*text, path, problems);
  problems.push_back(text.error().message);
  return {};
}

namespace {

// Whether root would use a folder that belongs to another user, who could plant files and links in it.
bool is_strangers(const std::string& folder) {
  struct stat status{};
  return ::geteuid() == 0 && ::stat(folder.c_str(), &status) == 0 && status.st_uid != 0;
}

// Warns about an ignored config file there.
void note_ignored_file(const std::string& home, std::vector<std::string>& problems) {
  const std::string path = home + "/.perfconfig";
  struct stat status{};
  if (is_strangers(home) && ::lstat(path.c_str(), &status) == 0)
    problems.push_back(fmt::format("{} is not root's home directory, ignoring {}", home, path));
}

}  // namespace

std::string setting_key(std::string_view name) {
  const std::size_t section = std::min(name.find('.'), name.size());
  const std::size_t key = std::max(section, std::min(name.rfind('.'), name.size()));
  return lower_name(name.substr(0, section)) + std::string(name.substr(section, key - section)) +
         lower_name(name.substr(key));
}

Config Config::of(std::vector<std::string> environment, std::vector<Setting> settings) {
  Config config;
  config.environment_ = std::move(environment);
  config.settings_ = std::move(settings);
  return config;
}

Config Config::load(std::span<const std::string> environment, std::vector<std::string>& problems) {
  Config config;
  config.environment_.assign(environment.begin(), environment.end());
  if (const auto only = config.variable("PERF_CONFIG"); only && !only->empty()) {
    config.settings_ = read_config_file(std::string(*only), true, problems);
    return config;
  }
  const auto add = [&](const std::string& path) {
    std::ranges::move(read_config_file(path, false, problems), std::back_inserter(config.settings_));
  };
  if (!config.variable("PERF_CONFIG_NOSYSTEM")) add(std::string(kSystemConfig));
  if (config.variable("PERF_CONFIG_NOGLOBAL") || config.home().empty()) return config;
  note_ignored_file(std::string(config.variable("HOME").value_or("")), problems);
  add(config.home() + "/.perfconfig");
  return config;
}

std::optional<std::string_view> Config::find(std::string_view key) const {
  for (auto setting = settings_.rbegin(); setting != settings_.rend(); ++setting)
    if (setting->key == key) return setting->value;
  return std::nullopt;
}

std::string Config::text(std::string_view key, std::string_view otherwise) const {
  return std::string(find(key).value_or(otherwise));
}

Result<bool> Config::flag(std::string_view key, bool otherwise) const {
  const auto value = find(key);
  if (!value) return otherwise;
  const std::string word = lower_name(*value);
  if (word == "true" || word == "yes" || word == "on" || word == "1") return true;
  if (word == "false" || word == "no" || word == "off" || word == "0" || word.empty()) return false;
  return fail(ErrorKind::Usage, "bad config value '{}' for {}: must be true or false", *value, key);
}

Result<i64> Config::number(std::string_view key, i64 otherwise) const {
  const auto value = find(key);
  if (!value) return otherwise;
  if (const auto number = parse_number<i64>(*value)) return *number;
  return fail(ErrorKind::Usage, "bad config value '{}' for {}: must be a number", *value, key);
}

std::optional<std::string_view> Config::variable(std::string_view name) const {
  for (const std::string& entry : environment_)
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return std::string_view(entry).substr(name.size() + 1);
  return std::nullopt;
}

// sudo may keep the user's HOME. Root must not work there: the user could not change files that root creates, and
// could plant links that misdirect root.
std::string Config::home() const {
  std::string named(variable("HOME").value_or(""));
  return is_strangers(named) ? std::string("/root") : named;
}

std::string Config::user_file() const {
  if (const auto only = variable("PERF_CONFIG"); only && !only->empty()) return std::string(*only);
  return home().empty() ? std::string() : home() + "/.perfconfig";
}

std::string Config::buildid_directory() const {
  if (const auto chosen = find("buildid.dir")) {
    if (*chosen == "/dev/null") return {};
    if (chosen->starts_with("~/")) return home() + std::string(chosen->substr(1));
    return std::string(*chosen);
  }
  if (const auto chosen = variable("PERF_BUILDID_DIR"); chosen && !chosen->empty()) return std::string(*chosen);
  return home().empty() ? ".debug" : home() + "/.debug";
}

std::string Config::cache_directory() const {
  if (const auto cache = variable("XDG_CACHE_HOME");
      cache && cache->starts_with('/') && !is_strangers(std::string(*cache)))
    return fmt::format("{}/peregrine", *cache);
  return home().empty() ? std::string() : home() + "/.cache/peregrine";
}

std::string Config::thousands_separator() const {
  for (std::string_view name : {"LC_ALL", "LC_NUMERIC", "LANG"}) {
    const auto chosen = variable(name);
    if (!chosen || chosen->empty()) continue;
    const locale_t locale = newlocale(LC_NUMERIC_MASK, std::string(*chosen).c_str(), nullptr);
    if (locale == nullptr) return {};
    std::string separator = nl_langinfo_l(THOUSEP, locale);
    freelocale(locale);
    return separator;
  }
  return {};
}

}  // namespace peregrine
