#include "cmd/config_edit.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/replace_file.h"
#include "cmd/config.h"

namespace peregrine::cmd {
namespace {

// The setting that this one line makes in some section; empty for none.
std::string key_of(std::string_view line) {
  std::vector<std::string> problems;
  const auto settings = parse_config(fmt::format("[s]\n{}", line), "", problems);
  return settings.size() == 1 ? settings[0].key.substr(2) : std::string();
}

bool begins_section(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '[';
}

// Whether a header line is that of `section`.
bool names(std::string_view line, std::string_view section) {
  std::vector<std::string> problems;
  const auto settings = parse_config(fmt::format("{}\nx=", line), "", problems);
  return settings.size() == 1 && settings[0].key == fmt::format("{}.x", section);
}

// As a file wants it: blanks at the ends and comment characters only survive in quotes.
std::string quoted(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  const bool blank_ends = !value.empty() && (value.front() == ' ' || value.back() == ' ');
  return blank_ends || value.find_first_of("#;") != value.npos ? fmt::format("\"{}\"", escaped) : escaped;
}

}  // namespace

std::string with_setting(std::string_view text, std::string_view section, std::string_view key,
                         std::string_view value) {
  const std::string wanted = setting_key(fmt::format("{}.{}", section, key));
  const std::string wanted_section = wanted.substr(0, wanted.rfind('.'));
  const std::string line_to_put = fmt::format("\t{} = {}\n", key, quoted(value));
  constexpr std::size_t kNowhere = std::string_view::npos;
  std::size_t old_at = kNowhere, old_size = 0, section_end = kNowhere;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (begins_section(line)) {
      inside = names(line, wanted_section);
      if (inside) section_end = end;
    } else if (inside && line.find_first_not_of(" \t\r\n") != kNowhere) {
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
  return result + fmt::format("[{}]\n{}", section, line_to_put);
}

Result<> change_config_file(const std::string& path, std::string_view section, std::string_view key,
                            std::string_view value) {
  std::string text = "# settings of perf and peregrine\n";
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists) {
    auto old = read_file(path);
    if (!old) return std::unexpected(std::move(old.error()));
    text = std::move(*old);
  }
  return replace_file(path, with_setting(text, section, key, value), exists ? status.st_mode & 0777 : 0644);
}

}  // namespace peregrine::cmd
