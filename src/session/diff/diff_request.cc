#include "session/diff/diff_request.h"

#include <utility>

#include "base/text/words.h"

namespace peregrine {

Result<Columns> diff_columns(const DiffRequest& request) {
  auto columns = parse_columns({.sort = request.sort, .default_sort = "dso,symbol"});
  if (!columns) return std::unexpected(std::move(columns.error()));
  if (columns->keys.empty()) return fail(ErrorKind::Usage, "-s needs at least one grouping key");
  if (request.by_stack) columns->keys = {SortKey::Comm};
  if (request.cycles || request.streams) return parse_columns({.default_sort = "dso,symbol"});
  return columns;
}

Columns block_columns() { return *parse_columns({.sort = "addr_from,addr_to,cycles", .branches = true}); }

std::string times_of_file(const std::string& times, std::size_t file) {
  const std::vector<std::string> parts = split_words(times, ':');
  if (!times.contains(':')) return times;
  if (times.starts_with(':')) return file == 0 || file > parts.size() ? std::string() : parts[file - 1];
  return file < parts.size() ? parts[file] : std::string();
}

}  // namespace peregrine
