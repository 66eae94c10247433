#include "session/bench/memory_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <string_view>

#include "analysis/stat/run_stats.h"
#include "base/types.h"
#include "trial/bit_search.h"
#include "trial/plan/memory_size.h"

namespace peregrine {
namespace {

std::string rate_text(double bytes_per_second) {
  constexpr std::string_view kUnits[] = {"bytes", "KB", "MB", "GB"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && bytes_per_second >= 1024; ++unit) bytes_per_second /= 1024;
  return fmt::format(" {:14.6f} {}/sec", bytes_per_second, kUnits[unit]);
}

}  // namespace

std::string describe(MemoryWork work) {
  return fmt::format("Default {}() of the C library", work == MemoryWork::Copy ? "memcpy" : "memset");
}

Result<> run_memory_trial(MemoryWork work, const MemoryTrialRequest& request, Sink& out) {
  const auto bytes = parse_memory_size(request.size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto rate = run_memory(work, *bytes, std::max<u64>(request.loops, 1));
  if (!rate) return std::unexpected(rate.error());
  out.format("# function 'default' ({})\n", describe(work));
  if (request.simple)
    out.format("{:.6f}\n", *rate);
  else
    out.format("# Copying {} bytes ...\n\n{}\n", request.size, rate_text(*rate));
  return {};
}

Result<> run_mapping_trial(const MemoryTrialRequest& request, Sink& out) {
  const auto bytes = parse_memory_size(request.size);
  if (!bytes) return std::unexpected(bytes.error());
  for (const MappingWay& way : kMappingWays) {
    if (request.function != "all" && way.name != request.function) continue;
    const auto rate = run_mapping(way.work, *bytes, std::max<u64>(request.loops, 1));
    if (!rate) return std::unexpected(rate.error());
    out.format("# function '{}' ({})\n", way.name, way.summary);
    if (request.simple)
      out.format("{:.6f}\n", *rate);
    else
      out.format("# Mapping {} bytes ...\n\n{}\n", request.size, rate_text(*rate));
  }
  return {};
}

void run_bit_trial(const BitTrialRequest& request, Sink& out) {
  constexpr unsigned kLongest = 2048;
  for (unsigned bits = 1; bits <= kLongest; bits *= 2) {
    for (unsigned set = 1; set <= bits; set *= 2) {
      RunStats next, each;
      for (unsigned i = 0; i < request.outer; ++i) {
        const BitSearch search{bits, set, request.inner};
        next.add(run_next_set_bit(search) * 1e6);
        each.add(run_each_bit(search) * 1e6);
      }
      out.format("{} operations {} bits set of {} bits\n", request.inner, set, bits);
      out.format("  Average for_each_set_bit took: {:.3f} usec (+- {:.3f} usec)\n", next.mean(), next.error());
      out.format("  Average test_bit loop took:    {:.3f} usec (+- {:.3f} usec)\n", each.mean(), each.error());
    }
  }
}

}  // namespace peregrine
