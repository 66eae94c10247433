#include "sys/kernel/schedstat.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "sys/kernel/kernel_switch.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::string_view kFile = "/proc/schedstat";
constexpr std::string_view kSchedstatSwitch = "/proc/sys/kernel/sched_schedstats";
constexpr std::string_view kSchedstatKind = "sched_schedstats\n";
constexpr u32 kOldest = 15, kNewest = 17, kNamed = 17;
constexpr std::size_t kCpuValues = 9, kDomainValues = 36, kNamedDomainValues = 45;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Returns the number after `prefix`, such as 3 for "cpu3".
std::optional<u32> numbered(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  const auto number = parse_number<u64>(word.substr(prefix.size()));
  if (!number || *number > ~u32{0}) return std::nullopt;
  return static_cast<u32>(*number);
}

// Reads exactly `count` numbers from `words`, starting at index `first`.
bool read_values(const std::vector<std::string_view>& words, std::size_t first, std::size_t count,
                 std::vector<u64>& values) {
  if (words.size() != first + count) return false;
  for (std::size_t i = first; i < words.size(); ++i) {
    const auto value = parse_number<u64>(words[i]);
    if (!value) return false;
    values.push_back(*value);
  }
  return true;
}

bool add_domain(const std::vector<std::string_view>& words, u32 number, SchedCounters& all) {
  const bool is_named = all.version >= kNamed;
  const std::size_t first = is_named ? 3 : 2;
  if (all.cpus.empty() || words.size() < first) return false;
  SchedDomainCounters domain{.number = number,
                             .name = std::string(is_named ? words[1] : std::string_view()),
                             .mask = std::string(words[first - 1]),
                             .values = {}};
  if (!read_values(words, first, is_named ? kNamedDomainValues : kDomainValues, domain.values)) return false;
  all.cpus.back().domains.push_back(std::move(domain));
  return true;
}

// Returns false if the line does not match the layout of this version. Ignores other kinds of lines.
bool add_line(std::string_view line, SchedCounters& all) {
  const auto words = split(line, ' ');
  if (words.empty()) return true;
  if (words[0] == "version" || words[0] == "timestamp") {
    const auto value = words.size() == 2 ? parse_number<u64>(words[1]) : std::nullopt;
    if (!value) return false;
    if (words[0] == "version")
      all.version = static_cast<u32>(std::min<u64>(*value, ~u32{0}));
    else
      all.time = *value;
    return true;
  }
  if (all.version < kOldest || all.version > kNewest) return true;
  if (const auto domain = numbered(words[0], "domain")) return add_domain(words, *domain, all);
  const auto cpu = numbered(words[0], "cpu");
  if (!cpu) return true;
  all.cpus.push_back({.cpu = *cpu, .values = {}, .domains = {}});
  return read_values(words, 1, kCpuValues, all.cpus.back().values);
}

}  // namespace

Result<SchedCounters> read_sched_counters(const Root& root) {
  const auto text = root.read(kFile);
  if (!text)
    return std::unexpected(
        Error{ErrorKind::Unsupported, "this kernel has no scheduler statistics (/proc/schedstat is missing)"}.with_hint(
            "use a kernel built with CONFIG_SCHEDSTATS"));
  SchedCounters all;
  std::size_t number = 0;
  for (const std::string_view line : split(*text, '\n')) {
    ++number;
    if (!add_line(line, all)) return fail(ErrorKind::Malformed, "{}: line {} is invalid", kFile, number);
  }
  if (all.version < kOldest || all.version > kNewest)
    return fail(ErrorKind::Unsupported, "{}: unsupported version {}: must be {} to {}", kFile, all.version, kOldest,
                kNewest);
  return all;
}

Result<SchedStatsSwitch> SchedStatsSwitch::engage(const Root& root) {
  const auto state = root.number(kSchedstatSwitch);
  if (!state)
    return std::unexpected(
        Error{ErrorKind::Unsupported,
              fmt::format("this kernel has no scheduler statistics ({} is missing)", kSchedstatSwitch)}
            .with_hint("use a kernel built with CONFIG_SCHEDSTATS"));
  if (*state != 0) return SchedStatsSwitch({});
  SchedStatsSwitch engaged(root.path(kSchedstatSwitch));
  if (auto record = OwnershipRecord::create(root, kSchedstatKind)) engaged.record_ = std::move(*record);
  if (auto written = write_switch(engaged.path_, '1'); !written) {
    engaged.path_.clear();
    if (engaged.record_) engaged.record_->settle();
    return std::unexpected(std::move(written.error()).with_hint("run as root, or set kernel.sched_schedstats=1"));
  }
  return engaged;
}

SchedStatsSwitch::~SchedStatsSwitch() {
  if (!path_.empty() && write_switch(path_, '0') && record_) record_->settle();
}

bool undo_abandoned_sched_stats(const Root& root, OwnershipRecord& record) {
  if (record.text() != kSchedstatKind) return false;
  if (write_switch(root.path(kSchedstatSwitch), '0')) record.settle();
  return true;
}

}  // namespace peregrine
