#include "cli/frame/config_edit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/file/output_place.h"
#include "base/judged_file.h"
#include "base/text/trim.h"
#include "cli/frame/config.h"

namespace peregrine {
namespace {

constexpr std::size_t kEditedLimit = std::size_t{1} << 20;

// The setting's key, without its section; empty if the line has none.
std::string key_of(std::string_view line) {
  std::vector<std::string> problems;
  const auto settings = parse_config(fmt::format("[s]\n{}", line), "", problems);
  return settings.size() == 1 ? settings[0].key.substr(2) : std::string();
}

// With the blanks that parse_config() skips, or the two would disagree where a section ends.
bool begins_section(std::string_view line) { return trim(line).starts_with('['); }

// Whether a header line starts `section`.
bool is_header_of(std::string_view line, std::string_view section) {
  std::vector<std::string> problems;
  const auto settings = parse_config(fmt::format("{}\nx=", line), "", problems);
  return !settings.empty() && settings.back().key == fmt::format("{}.x", section);
}

// The value as written to a file: blanks at its ends and comment characters need quotes, newlines an escape.
std::string quoted(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '"' || c == '\\') escaped += '\\';
    c == '\n' ? escaped += "\\n" : escaped += c;
  }
  const bool blank_ends = trim(value).size() != value.size();
  return blank_ends || value.find_first_of("#;") != value.npos ? fmt::format("\"{}\"", escaped) : escaped;
}

// "[section]", or [section "Sub"] if the part after the dot is not all lower case.
std::string header_of(std::string_view section) {
  const std::size_t dot = section.find('.');
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (dot == section.npos || std::ranges::all_of(section.substr(dot), plain)) return fmt::format("[{}]", section);
  return fmt::format("[{} \"{}\"]", section.substr(0, dot), section.substr(dot + 1));
}

// Whether a file can contain a setting with that name. `text` sets it, and must be parsed as exactly this setting, both
// here and by programs that support escapes in section names.
Result<> check_name(std::string_view wanted, std::string_view text) {
  std::vector<std::string> problems;
  const auto settings = parse_config(text, "", problems);
  const bool needs_escape = wanted.find_first_of("\"\\") != wanted.npos;
  if (!needs_escape && problems.empty() && settings.size() == 1 && settings[0].key == wanted) return {};
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid setting name '{}'", wanted)}.with_hint(
      "section.name, made of letters, digits, '-' and '_'"));
}

}  // namespace

Result<SettingWord> parse_setting_word(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size())
    return fail(ErrorKind::Usage, "The config variable does not contain a {} name: {}",
                dot == name.npos || dot == 0 ? "section" : "variable", text);
  SettingWord word{std::string(name.substr(0, dot)), std::string(name.substr(dot + 1)), std::nullopt};
  if (equals == text.npos) return word;
  word.value = std::string(trim(text.substr(equals + 1)));
  if (word.value->empty()) return fail(ErrorKind::Usage, "The config variable does not contain a value: {}", text);
  return word;
}

Result<std::string> with_setting(std::string_view text, std::string_view section, std::string_view key,
                                 std::string_view value) {
  const std::string wanted = setting_key(fmt::format("{}.{}", section, key));
  const std::string wanted_section = wanted.substr(0, wanted.rfind('.'));
  const std::string line_to_put = fmt::format("\t{} = {}\n", key, quoted(value));
  PEREGRINE_TRY(check_name(wanted, fmt::format("{}\n{}", header_of(section), line_to_put)));
  constexpr std::size_t kNowhere = std::string_view::npos;
  std::size_t old_at = kNowhere, old_size = 0, section_end = kNowhere;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (begins_section(line)) {
      inside = is_header_of(line, wanted_section);
      if (inside) section_end = end;
    } else if (inside && !trim(line).empty()) {
      section_end = end;
      if (fmt::format("{}.{}", wanted_section, key_of(line)) == wanted) {
        old_at = at;
        old_size = end - at;
      }
    }
    at = end;
  }
  std::string result(text);
  if (old_at != kNowhere) return result.replace(old_at, old_size, line_to_put);
  if (!result.empty() && result.back() != '\n') {
    result += '\n';
    if (section_end == text.size()) ++section_end;
  }
  if (section_end != kNowhere) return result.insert(section_end, line_to_put);
  return result + fmt::format("{}\n{}", header_of(section), line_to_put);
}

Result<> change_config_file(const std::string& path, std::string_view section, std::string_view key,
                            std::string_view value) {
  // People who keep their settings elsewhere have a link here, which must be preserved.
  const auto place = follow_links(path);
  if (!place) return std::unexpected(place.error());
  std::string text = "# settings of perf and peregrine\n";
  unsigned mode = 0644;
  const FileRules rules{.owners = owners_of(TrustedOwner::SelfOrRoot)};
  if (auto old = open_judged(place->folder(), place->name(), place->path(), rules)) {
    // Config::load does not trust such a file, but would trust our copy, because only its owner can write to it.
    if ((old->status.st_mode & S_IWOTH) != 0)
      return std::unexpected(
          Error{ErrorKind::Denied, fmt::format("cannot change '{}': it is world-writable", path)}.with_hint(
              fmt::format("check its contents, then chmod o-w {}", path)));
    auto kept = read_all(old->fd.get(), path, kEditedLimit);
    if (!kept) return std::unexpected(std::move(kept.error()));
    text = std::move(*kept);
    mode = old->status.st_mode & 0777;
  } else if (old.error().kind != ErrorKind::NotFound) {
    return std::unexpected(std::move(old.error()));
  }
  const auto changed = with_setting(text, section, key, value);
  if (!changed) return std::unexpected(changed.error());
  auto draft = OutputDraft::create(*place, mode);
  if (!draft) return std::unexpected(std::move(draft.error()));
  PEREGRINE_TRY(write_all(draft->fd(), changed->data(), changed->size()));
  return draft->take(true);
}

}  // namespace peregrine
