#include "pipeline/replay/filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>

#include "abi/record.h"
#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/number/whole_number.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Parses seconds ("12", "12.5", "12.000000001") to ns.
std::optional<u64> parse_seconds(std::string_view text) {
  const auto seconds = take_number<u64>(text);
  if (!seconds || *seconds > ~u64{0} / 1'000'000'000 - 1) return std::nullopt;
  if (text.empty()) return *seconds * 1'000'000'000;
  if (text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  auto fraction = text.size() > 9 ? std::nullopt : parse_number<u64>(text);
  if (!fraction) return std::nullopt;
  for (std::size_t digits = text.size(); digits < 9; ++digits) *fraction *= 10;
  return *seconds * 1'000'000'000 + *fraction;
}

// "a,b", "a,", ",b", "a"
std::optional<TimeRange> parse_range(std::string_view text) {
  const auto comma = text.find(',');
  const std::string_view from = text.substr(0, comma);
  const std::string_view to = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  TimeRange range;
  if (!from.empty()) {
    const auto start = parse_seconds(from);
    if (!start) return std::nullopt;
    range.from = *start;
  }
  if (!to.empty()) {
    const auto stop = parse_seconds(to);
    if (!stop) return std::nullopt;
    if (*stop != 0) range.to = *stop;
  }
  return range.from <= range.to ? std::optional(range) : std::nullopt;
}

// Parses "25%" to 0.25.
std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = parse_real(text.substr(0, text.size() - 1));
  return percent && *percent <= 100 ? std::optional(*percent / 100) : std::nullopt;
}

TimeRange share_of(double from, double to, u64 first, u64 last) {
  const auto total = static_cast<double>(last - first);
  const auto at = [&](double share) { return first + std::min(whole_number(std::round(share * total)), last - first); };
  TimeRange range{at(from), at(to)};
  // The boundary of two adjacent shares belongs to the later one.
  if (range.to > range.from && range.to != last) --range.to;
  return range;
}

// "10%/2" is the second tenth, "10%-20%" a range, "10%" the first tenth.
std::optional<TimeRange> parse_share_range(std::string_view text, u64 first, u64 last) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto share = parse_share(text.substr(0, slash));
    const unsigned number = parse_number<unsigned>(text.substr(slash + 1)).value_or(0);
    if (!share || number == 0 || *share * number > 1.0000001) return std::nullopt;
    return share_of(*share * (number - 1), std::min(1.0, *share * number), first, last);
  }
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    const auto from = parse_share(text.substr(0, dash)), to = parse_share(text.substr(dash + 1));
    if (!from || !to || *from > *to) return std::nullopt;
    return share_of(*from, *to, first, last);
  }
  const auto share = parse_share(text);
  if (!share) return std::nullopt;
  return share_of(0, *share, first, last);
}

// Binary search: a list may have millions of threads, and every sample is checked.
bool contains(const std::vector<u32>& ascending, u32 value) {
  return ascending.empty() || std::ranges::binary_search(ascending, value);
}

}  // namespace

bool SampleFilter::accepts_time(u64 time) const {
  if (times.empty() || time == 0) return true;
  return std::any_of(times.begin(), times.end(),
                     [=](TimeRange range) { return range.from <= time && time <= range.to; });
}

bool SampleFilter::accepts_mode(u16 misc) const {
  const u16 mode = misc & abi::misc_bit::CpumodeMask;
  return mode == abi::misc_bit::GuestKernel || mode == abi::misc_bit::GuestUser ? guests : hosts;
}

bool SampleFilter::accepts_cpu(u32 cpu) const { return contains(cpus, cpu); }

bool SampleFilter::accepts_thread(const Resolver::Context& context, Resolver& resolver) const {
  if (!contains(pids, context.thread.pid) || !contains(tids, context.thread.tid)) return false;
  if (comms.empty()) return true;
  const std::string_view comm = resolver.comm(context);
  return std::any_of(comms.begin(), comms.end(), [&](const std::string& wanted) { return wanted == comm; });
}

Result<std::vector<TimeRange>> parse_time_ranges(std::string_view text, u64 first, u64 last) {
  const bool shares = text.find('%') != std::string_view::npos;
  if (shares && (first == 0 || last < first)) {
    return std::unexpected(Error{ErrorKind::Usage,
                                 "the recording does not contain the times of its first and last samples",
                                 "pass times in seconds, as 'script' shows them"});
  }
  const char separator = shares ? ',' : ' ';
  std::vector<TimeRange> result;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const auto range = shares ? parse_share_range(one, first, last) : parse_range(one);
    if (!range)
      return std::unexpected(Error{ErrorKind::Usage, "Invalid time string",
                                   "must be START,STOP in seconds, where STOP is not before START and both may be "
                                   "empty, or percentages: 10%-20%"});
    result.push_back(*range);
  }
  return result;
}

}  // namespace peregrine
