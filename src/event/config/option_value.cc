#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/ascii.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/config/record_config.h"

namespace peregrine {

namespace {

struct BranchName {
  std::string_view name;
  u64 bits;
};

namespace branch = abi::branch_bit;
constexpr BranchName kBranchNames[] = {
    {"u", branch::User},
    {"k", branch::Kernel},
    {"hv", branch::Hypervisor},
    {"any", branch::Any},
    {"any_call", branch::AnyCall},
    {"any_ret", branch::AnyReturn},
    {"ind_call", branch::IndirectCall},
    {"abort_tx", branch::AbortTransaction},
    {"in_tx", branch::InTransaction},
    {"no_tx", branch::NoTransaction},
    {"cond", branch::Conditional},
    {"stack", branch::CallStack},
    {"ind_jmp", branch::IndirectJump},
    {"call", branch::Call},
    {"no_flags", branch::NoFlags},
    {"no_cycles", branch::NoCycles},
    {"save_type", branch::TypeSave},
    {"hw_index", branch::HwIndex},
    {"priv", branch::PrivilegeSave},
    {"counter", branch::Counters},
};
constexpr u64 kBranchModes = branch::User | branch::Kernel | branch::Hypervisor;

struct ClockName {
  std::string_view name;
  int id;
};

constexpr ClockName kClocks[] = {
    {"monotonic", 1}, {"monotonic_raw", 4}, {"realtime", 0}, {"boottime", 7}, {"tai", 11},
    {"mono", 1},      {"raw", 4},           {"real", 0},     {"boot", 7},
};

}  // namespace

Result<u64> parse_branch_filter(std::string_view text, bool of_event) {
  u64 mask = 0;
  for (;;) {
    const auto comma = text.find(',');
    const auto word = trim(text.substr(0, comma));
    const auto* const found = std::find_if(std::begin(kBranchNames), std::end(kBranchNames),
                                           [&](const BranchName& b) { return b.name == word; });
    if (found == std::end(kBranchNames)) {
      Error error{ErrorKind::Usage, fmt::format("unknown branch filter {}", word)};
      std::vector<std::string_view> names;
      for (const auto& each : kBranchNames) names.push_back(each.name);
      if (const auto near = nearest(word, names)) error.hint = fmt::format("did you mean '{}'?", *near);
      return std::unexpected(std::move(error));
    }
    mask |= found->bits;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if ((mask & ~kBranchModes) != 0) return mask;
  return of_event ? mask | branch::Any : branch::Any;
}

Result<u64> parse_registers(std::string_view text, const abi::RegisterTable& table, u64 allowed) {
  u64 mask = 0;
  for (;;) {
    const auto comma = text.find(',');
    const auto word = text.substr(0, comma);
    std::string upper(word);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    u64 found = 0;
    for (unsigned bit = 0; bit < table.names.size(); ++bit) {
      const auto same = [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); };
      const bool named = !word.empty() && std::ranges::equal(upper, table.names[bit], same);
      if (named && (allowed >> bit & 1) != 0) found = u64{1} << bit;
    }
    if (found == 0) {
      Error error{ErrorKind::Usage, fmt::format("Unknown register \"{}\"", word)};
      error.hint = fmt::format("available registers: {}", register_list(table, allowed));
      return std::unexpected(std::move(error));
    }
    mask |= found;
    if (comma == std::string_view::npos) return mask;
    text.remove_prefix(comma + 1);
  }
}

std::string register_list(const abi::RegisterTable& table, u64 mask) {
  std::string list;
  for (unsigned bit = 0; bit < table.names.size(); ++bit) {
    if ((mask >> bit & 1) == 0 || table.names[bit].empty()) continue;
    if (!list.empty()) list += ' ';
    list += table.names[bit];
  }
  return list;
}

Result<int> parse_clockid(std::string_view text) {
  if (const auto number = to_number(text); number && *number < 64) return static_cast<int>(*number);
  const std::string word = lower_case(text);
  std::string_view name = word;
  if (name.starts_with("clock_")) name.remove_prefix(6);
  for (const auto& clock : kClocks)
    if (clock.name == name) return clock.id;
  Error error{ErrorKind::Usage, fmt::format("unknown clockid {}", text)};
  error.hint = "must be one of monotonic, monotonic_raw, realtime, boottime, tai";
  return std::unexpected(std::move(error));
}

Result<u64> limit_frequency(u64 wanted, bool user_chosen, bool strict, std::optional<i64> max_sample_rate,
                            std::vector<std::string>& warnings) {
  if (!max_sample_rate || *max_sample_rate < 0 || wanted <= static_cast<u64>(*max_sample_rate)) return wanted;
  const u64 maximum = static_cast<u64>(*max_sample_rate);
  if (!user_chosen) return maximum;
  if (strict) {
    Error error{ErrorKind::Usage, fmt::format("Maximum frequency rate ({} Hz) exceeded", maximum)};
    error.hint = "use -F within the limit, or raise kernel.perf_event_max_sample_rate";
    return std::unexpected(std::move(error));
  }
  warnings.push_back(
      fmt::format("Maximum frequency rate ({} Hz) exceeded, throttling from {} Hz to {} Hz: the limit is "
                  "kernel.perf_event_max_sample_rate, which the kernel lowers when sampling takes too long",
                  maximum, wanted, maximum));
  return maximum;
}

}  // namespace peregrine
