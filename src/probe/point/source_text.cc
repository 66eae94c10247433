#include "probe/point/source_text.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <iterator>
#include <utility>

#include "base/judged_file.h"
#include "base/process_root.h"

namespace peregrine {
namespace {

constexpr std::size_t kLargestSource = std::size_t{64} << 20;

bool is_file(const std::string& path) {
  const auto status = stat_file(path);
  return status && S_ISREG(status->st_mode);
}

std::string without_blanks(std::string_view text) {
  std::string result;
  std::ranges::copy_if(text, std::back_inserter(result),
                       [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
  return result;
}

}  // namespace

Result<SourceText> SourceText::read(const std::string& path) {
  if (!is_file(path)) return fail(ErrorKind::NotFound, "{}: no such source file", path);
  auto bytes = read_regular_file(path, kLargestSource);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  SourceText text;
  for (std::string_view rest = *bytes; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    text.lines_.emplace_back(line);
  }
  return text;
}

Result<std::string> SourceFinder::find(const std::string& path) const {
  if (folder_.empty()) {
    if (is_file(path)) return path;
    return std::unexpected(
        Error{ErrorKind::NotFound, fmt::format("source file '{}' not found", path), "pass its folder with -s"});
  }
  if (is_file(folder_ + '/' + path)) return folder_ + (path.starts_with('/') ? "" : "/") + path;
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string tried = folder_ + path.substr(slash);
    if (is_file(tried)) return tried;
  }
  if (is_file(path)) return path;
  return fail(ErrorKind::NotFound, "source file '{}' not found, nor in {}", path, folder_);
}

Result<const SourceText*> SourceFinder::text(const std::string& path) {
  auto place = find(path);
  if (!place) return std::unexpected(std::move(place.error()));
  const auto known = texts_.find(*place);
  if (known != texts_.end()) return &known->second;
  auto read = SourceText::read(*place);
  if (!read) return std::unexpected(std::move(read.error()));
  return &texts_.emplace(*place, std::move(*read)).first->second;
}

bool lazy_match(std::string_view line, std::string_view pattern) {
  return ::fnmatch(without_blanks(pattern).c_str(), without_blanks(line).c_str(), 0) == 0;
}

bool path_ends_with(std::string_view path, std::string_view tail) {
  if (tail.starts_with("./")) tail.remove_prefix(2);
  if (!path.ends_with(tail)) return false;
  return path.size() == tail.size() || tail.starts_with('/') || path[path.size() - tail.size() - 1] == '/';
}

}  // namespace peregrine
