#include "base/number/number_list.h"

#include <algorithm>
#include <optional>

#include "base/container/sort_unique.h"
#include "base/number/parse_number.h"

namespace peregrine {
namespace {

struct NumberRange {
  u32 first = 0, last = 0;
  u64 size() const { return u64{last} - first + 1; }
};

std::optional<NumberRange> parse_range(std::string_view text) {
  const auto first = take_number<u32>(text);
  if (!first) return std::nullopt;
  const bool is_range = text.starts_with('-');
  if (is_range) text.remove_prefix(1);
  const auto last = is_range ? parse_number<u32>(text) : first;
  if ((!is_range && !text.empty()) || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last};
}

}  // namespace

Result<std::vector<u32>> parse_number_list(std::string_view text, u32 highest) {
  std::vector<NumberRange> ranges;
  u64 count = 0;
  const u64 most = std::min(kLongestNumberList, u64{highest} + 1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const auto range = parse_range(word);
    if (!range) return fail(ErrorKind::Usage, "'{}' is not a number or a range (1,3-5)", word);
    if (range->last > highest) return fail(ErrorKind::Usage, "{} is too large (maximum {})", word, highest);
    count += range->size();
    if (count > most) return fail(ErrorKind::Usage, "the list has more than {} numbers", most);
    ranges.push_back(*range);
  }
  std::vector<u32> numbers;
  numbers.reserve(count);
  for (const NumberRange& range : ranges)
    for (u64 number = range.first; number <= range.last; ++number) numbers.push_back(static_cast<u32>(number));
  sort_unique(numbers);
  return numbers;
}

}  // namespace peregrine
