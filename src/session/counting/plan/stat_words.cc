#include "session/counting/plan/stat_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

Result<std::vector<u32>> parse_bpf_programs(std::string_view text) {
  std::vector<u32> ids;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto id = to_number(word);
    if (!id || *id == 0 || *id > ~u32{0})
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid BPF program id '{}'", word)}.with_hint(
          "'bpftool prog' lists programs with their ids; several are separated by commas"));
    ids.push_back(static_cast<u32>(*id));
  }
  return ids;
}

Result<u32> parse_cache_level(std::string_view text) {
  if (text.empty()) return 0;
  if (text.size() == 2 && (text[0] == 'l' || text[0] == 'L') && text[1] >= '1' && text[1] <= '4')
    return static_cast<u32>(text[1] - '0');
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown cache level '{}'", text)}.with_hint(
      "must be l1 to l4, or empty for the last level"));
}

Result<LatencyMode> parse_latency_mode(std::string_view text) {
  if (text == "mean") return LatencyMode::Mean;
  if (text == "min") return LatencyMode::Min;
  if (text == "max") return LatencyMode::Max;
  if (text == "last") return LatencyMode::Last;
  return fail(ErrorKind::Usage, "--tpebs-mode: '{}' must be one of mean, min, max, last", text);
}

Result<> count_on_core_type(EventSources& sources, std::string_view type) {
  if (sources.choose_core_type(type)) return {};
  std::string kinds;
  for (const Pmu* pmu : sources.core_pmus()) kinds += (kinds.empty() ? "" : ", ") + pmu->name;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("--cputype {} is not supported!", type)}.with_hint(
      sources.core_pmus().size() < 2 ? "this processor has one kind of core"
                                     : fmt::format("the kinds of core here: {}", kinds)));
}

bool are_ports(std::string_view word, bool command_follows) {
  if (word.starts_with('-')) return false;
  for (std::size_t colon = word.find(':'); colon != std::string_view::npos; colon = word.find(':', colon + 1))
    if (colon > 0 && colon + 1 < word.size() && hex_digit(word[colon - 1]) >= 0 && hex_digit(word[colon + 1]) >= 0)
      return true;
  const bool is_number = std::ranges::all_of(word, [](char c) { return hex_digit(c) >= 0 || c == ','; }) &&
                         std::ranges::any_of(word, is_digit);
  return is_number && command_follows;
}

}  // namespace peregrine
