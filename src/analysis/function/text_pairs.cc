#include "analysis/function/text_pairs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/trim.h"

namespace peregrine {
namespace {

constexpr std::size_t kMostOpen = std::size_t{1} << 20;  // starts that wait for their end

constexpr std::string_view kDigits = "0123456789";

// "15953.845742" in ns.
std::optional<u64> trace_time(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.size() - dot > 10) return std::nullopt;
  const auto seconds = parse_number<u64>(text.substr(0, dot));
  const std::string_view digits = text.substr(dot + 1);
  auto fraction = parse_number<u64>(digits);
  if (!seconds || !fraction || *seconds > ~u64{0} / 2'000'000'000) return std::nullopt;
  for (std::size_t i = digits.size(); i < 9; ++i) *fraction *= 10;
  return *seconds * 1'000'000'000 + *fraction;
}

}  // namespace

// Names of threads may have blanks and brackets, so this searches for the CPU: "[001]".
std::optional<TextLine> parse_trace_line(std::string_view line) {
  if (line.starts_with('#')) return std::nullopt;
  std::size_t open = line.find(" [");
  for (; open != std::string_view::npos; open = line.find(" [", open + 1)) {
    const std::size_t close = line.find_first_not_of(kDigits, open + 2);
    if (close != std::string_view::npos && close > open + 2 && line[close] == ']') break;
  }
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view task = trim(line.substr(0, open));
  TextLine parsed{.thread = task.substr(std::min(task.find_last_not_of(kDigits) + 1, task.size()))};
  std::string_view rest = trim(line.substr(line.find(']', open) + 1));
  const std::size_t time_end = rest.find(": ");
  if (time_end == std::string_view::npos) return std::nullopt;
  std::string_view before = rest.substr(0, time_end);  // flags, time
  const auto time = trace_time(before.substr(std::min(before.rfind(' ') + 1, before.size())));
  rest.remove_prefix(time_end + 2);
  const std::size_t name_end = rest.find_first_of(":( ");
  if (!time || name_end == std::string_view::npos) return std::nullopt;
  parsed.time = *time;
  parsed.text = rest.substr(name_end);
  parsed.event = rest.substr(0, name_end);
  if (parsed.text.starts_with(':')) {
    parsed.text.remove_prefix(1);
    return parsed;
  }
  constexpr std::string_view kCall = "sys_";
  const bool is_exit = parsed.text.starts_with(" -> ");
  if (!rest.starts_with(kCall) || (!is_exit && !parsed.text.starts_with('('))) return std::nullopt;
  parsed.event.insert(kCall.size(), is_exit ? "exit_" : "enter_");
  return parsed;
}

std::string_view value_in_text(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at != 0 && text[at - 1] != ' ' && text[at - 1] != '(') continue;
    std::string_view value = text.substr(at + name.size());
    if (!value.starts_with('=') && !value.starts_with(": ")) continue;
    value.remove_prefix(value.front() == '=' ? 1 : 2);
    return value.substr(0, value.find_first_of(" ,)"));
  }
  return {};
}

std::optional<u64> TextPairs::add(std::string_view line) {
  const auto parsed = parse_trace_line(line);
  if (!parsed) return std::nullopt;
  // Nothing if the text lacks the key.
  const auto key_of = [&](const std::string& field) -> std::optional<std::string> {
    const std::string_view key = field.empty() ? parsed->thread : value_in_text(parsed->text, field);
    if (!key.empty()) return std::string(key);
    ++keyless_;
    return std::nullopt;
  };
  // An event may be both: the time between its hits.
  std::optional<u64> duration;
  if (parsed->event == request_.end) {
    const auto key = key_of(request_.end_key);
    if (!key) return std::nullopt;
    const auto found = open_.find(*key);
    if (found == open_.end() && request_.start != request_.end) {
      ++without_start_;
    } else if (found != open_.end()) {
      duration = parsed->time - std::min(found->second, parsed->time);
      open_.erase(found);
    }
  }
  if (parsed->event == request_.start && open_.size() < kMostOpen) {
    auto key = key_of(request_.start_key);
    if (key && !open_.insert_or_assign(std::move(*key), parsed->time).second) ++replaced_;
  }
  return duration;
}

}  // namespace peregrine
