#include "symbol/jit/perf_map.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/number/parse_number.h"
#include "base/types.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {

namespace {

// Any user can write the map of a process that root profiles. JIT compilers write names of up to some hundred bytes.
constexpr std::size_t kMapLimit = std::size_t{256} << 20, kMostNameBytes = std::size_t{16} << 10;

// Takes a hex number from the front of `text`: optional blanks and 0x before it, and the blank that must follow it.
std::optional<u64> take_hex(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  const auto value = take_number<u64>(text, 16);
  if (!text.starts_with(' ') && !text.starts_with('\t')) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

}  // namespace

PerfMap parse_perf_map(std::string_view text) {
  PerfMap map;
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.prefer_last();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool blank = line.empty();
    const auto start = take_hex(line);
    const auto size = start ? take_hex(line) : std::nullopt;
    if (!size || line.empty() || *size > ~u64{0} - *start) {
      if (!blank) ++map.bad_lines;
      continue;
    }
    builder.add({.start = *start,
                 .end = *start + *size,
                 .name = line.substr(0, kMostNameBytes),
                 .binding = SymbolBinding::Global,
                 .type = SymbolType::Function});
  }
  map.table = builder.build();
  return map;
}

Result<PerfMap> load_perf_map(const std::string& path, const FileOwners& owners) {
  auto fd = open_run_time_file(path, owners);
  if (!fd) return std::unexpected(std::move(fd.error()));
  auto text = read_all(fd->get(), path, kMapLimit);
  if (!text) return std::unexpected(std::move(text.error()));
  // A sparse file reads as zeros where nothing was written.
  return parse_perf_map(std::string_view(*text).substr(0, text->find('\0')));
}

}  // namespace peregrine
