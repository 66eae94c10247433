#include "pipeline/recording/enable_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <limits>

#include "base/number/parse_number.h"

namespace peregrine {
namespace {

constexpr i64 kMost = std::numeric_limits<int>::max();

// Parses a number of ms and removes it from `text`.
std::optional<i64> take_milliseconds(std::string_view& text) {
  const auto value = take_number<i64>(text);
  return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
}

bool take_character(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<EnableSchedule> EnableSchedule::parse(std::string_view text) {
  EnableSchedule schedule;
  schedule.at_once_ = false;
  if (text == "-1") return schedule;
  const auto wrong = [&] {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("invalid -D '{}': must be a delay in ms, or ranges", text)}.with_hint(
            "use -D 500, -D -1, or ascending ranges such as -D 10-20,30-40"));
  };
  std::string_view rest = text;
  const auto first = take_milliseconds(rest);
  if (!first) return wrong();
  if (rest.empty()) {
    schedule.at_once_ = *first == 0;
    if (!schedule.at_once_) schedule.changes_ = {Span(*first)};
    return schedule;
  }
  schedule.ranges_ = true;
  rest = text;
  i64 before = -1;
  do {
    const auto from = take_milliseconds(rest);
    if (!from || !take_character(rest, '-')) return wrong();
    const auto to = take_milliseconds(rest);
    if (!to || *from <= before || *to <= *from) return wrong();
    schedule.changes_.insert(schedule.changes_.end(), {Span(*from), Span(*to)});
    before = *to;
  } while (take_character(rest, ','));
  if (!rest.empty()) return wrong();
  return schedule;
}

i64 EnableSchedule::first_ms() const {
  if (at_once_) return 0;
  return changes_.empty() ? -1 : std::max<i64>(1, changes_.front().count());
}

std::optional<EnableSchedule::Span> EnableSchedule::next() const {
  if (at_ == changes_.size()) return std::nullopt;
  return changes_[at_];
}

std::optional<bool> EnableSchedule::take(Span since_start) {
  if (at_ == changes_.size() || since_start < changes_[at_]) return std::nullopt;
  return at_++ % 2 == 0;
}

}  // namespace peregrine
