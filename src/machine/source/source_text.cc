#include "machine/source/source_text.h"

#include <algorithm>
#include <cstddef>

#include "base/judged_file.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr u64 kMostText = u64{64} << 20;

// The path comes from a binary that may be untrusted, so read only a regular file.
std::optional<std::vector<std::string>> read_lines(const std::string& path, ReadFailures* failures) {
  const auto text = read_regular_file(path, kMostText);
  if (!text) {
    note_failure(failures, path, text.error());
    return std::nullopt;
  }
  std::vector<std::string> lines;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

}  // namespace

std::string source_path(std::string_view recorded, const SourcePlaces& places) {
  if (places.prefix && recorded.starts_with('/')) {
    for (unsigned i = 0; i < places.prefix_strip; ++i) {
      const std::size_t next = recorded.find('/', 1);
      if (next == std::string_view::npos) break;
      recorded.remove_prefix(next);
    }
    return *places.prefix + std::string(recorded);
  }
  return recorded.starts_with('/') ? places.symfs + std::string(recorded) : std::string(recorded);
}

const std::vector<std::string>* SourceTexts::find(std::string_view recorded_path) {
  const auto [at, fresh] = files_.try_emplace(std::string(recorded_path));
  if (fresh) at->second = read_lines(source_path(recorded_path, places_), failures_);
  return at->second ? &*at->second : nullptr;
}

}  // namespace peregrine
