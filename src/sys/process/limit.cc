#include "sys/process/limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {

namespace {

u64 hex_line(std::string_view status, std::string_view key) {
  const auto at = status.find(key);
  if (at == std::string_view::npos) return 0;
  const auto value = status.substr(at + key.size());
  return to_number("0x" + std::string(trim(value.substr(0, value.find('\n'))))).value_or(0);
}

}  // namespace

PerfLimits perf_limits(const Root& root) {
  const auto value = [&](std::string_view name) { return root.number(fmt::format("/proc/sys/kernel/{}", name)); };
  return {value("perf_event_paranoid"),  value("kptr_restrict"),       value("perf_event_max_sample_rate"),
          value("perf_event_max_stack"), value("perf_event_mlock_kb"), value("perf_cpu_time_max_percent")};
}

Capabilities capabilities(const Root& root) {
  const auto status = root.read("/proc/self/status");
  if (!status) return {};
  return {hex_line(*status, "CapEff:"), hex_line(*status, "CapPrm:")};
}

bool paranoid_allows(const PerfLimits& limits, const Capabilities& caps, int level) {
  return caps.may_trace() || limits.paranoid.value_or(2) < level;
}

u64 raise_open_files(u64 wanted) {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlimit more{std::max<rlim_t>(limit.rlim_max, wanted), std::max<rlim_t>(limit.rlim_max, wanted)};
  if (::setrlimit(RLIMIT_NOFILE, &more) == 0) return more.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

u64 locked_memory_limit() {
  rlimit limit;
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<u64>::max() : limit.rlim_cur;
}

}  // namespace peregrine
