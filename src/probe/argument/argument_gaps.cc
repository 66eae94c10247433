#include "probe/argument/argument_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/text/counted.h"
#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {
namespace {

constexpr std::string_view kNumber = "\\0xdeade12d", kText = "\\\"?\"";

bool is_value(const TraceArgument& argument) {
  return !argument.value.empty() && argument.value != kNumber && argument.value != kText;
}

// `missing[i][j]`: probe i lacks argument j. Each mask argument covers 64 arguments.
void add_masks(std::vector<TraceProbe>& probes, const std::vector<std::vector<bool>>& missing) {
  constexpr std::size_t kBits = 64;
  for (std::size_t word = 0; word < std::size(kUnavailableMasks); ++word) {
    std::vector<u64> masks(probes.size());
    for (std::size_t i = 0; i < missing.size(); ++i)
      for (std::size_t at = word * kBits; at < std::min(missing[i].size(), (word + 1) * kBits); ++at)
        masks[i] |= u64{missing[i][at]} << (at % kBits);
    if (std::ranges::all_of(masks, [](u64 mask) { return mask == 0; })) continue;
    for (std::size_t i = 0; i < probes.size(); ++i)
      probes[i].arguments.push_back(
          {.name = std::string(kUnavailableMasks[word]), .value = fmt::format("\\{:#x}", masks[i]), .type = "x64"});
  }
}

}  // namespace

void fill_argument_gaps(std::vector<TraceProbe>& probes) {
  std::vector<std::vector<bool>> missing;
  for (TraceProbe& probe : probes) {
    missing.emplace_back(probe.arguments.size());
    for (std::size_t i = 0; i < probe.arguments.size(); ++i) {
      if (!probe.arguments[i].value.empty()) continue;
      const auto other = std::ranges::find_if(
          probes, [&](const TraceProbe& one) { return i < one.arguments.size() && is_value(one.arguments[i]); });
      if (other == probes.end()) continue;
      const bool text = other->arguments[i].type == "string" || other->arguments[i].type == "ustring";
      missing.back()[i] = true;
      probe.arguments[i] = other->arguments[i];
      probe.arguments[i].value = text ? kText : kNumber;
      if (text) probe.arguments[i].type = "string";
    }
  }
  add_masks(probes, missing);
}

bool is_unavailable_mask(const TraceArgument& argument) {
  return std::ranges::find(kUnavailableMasks, argument.name) != std::end(kUnavailableMasks);
}

Result<> check_probe_line(const TraceProbe& probe) {
  PEREGRINE_TRY(probe.check());
  constexpr std::size_t kMostArguments = 128, kMostLine = 4095;
  const std::size_t count = probe.arguments.size();
  if (count > kMostArguments) {
    const auto masks = static_cast<std::size_t>(std::ranges::count_if(probe.arguments, is_unavailable_mask));
    const std::string marks = masks == 0 ? "" : fmt::format(" and {} for unavailable ones", counted(masks, "mask"));
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} has {} arguments{}; the kernel accepts at most {}",
                                                               probe.name(), count - masks, marks, kMostArguments)}
                               .with_hint(masks == 0
                                              ? "use fewer arguments"
                                              : "use fewer arguments, or only those available at every location"));
  }
  if (const std::size_t size = probe.format().size(); size > kMostLine)
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("the definition of '{}' has {} bytes; the kernel accepts at most {}",
                                            probe.name(), size, kMostLine)}
            .with_hint("use fewer arguments, or shorter names"));
  return {};
}

}  // namespace peregrine
