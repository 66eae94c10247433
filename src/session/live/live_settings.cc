#include "session/live/live_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <type_traits>
#include <utility>

#include "base/number/parse_number.h"
#include "base/number/real_number.h"

namespace peregrine {

std::vector<TopKey> live_keys(const LiveSettings& settings) {
  const auto yes = [](bool on) { return std::string(on ? "yes" : "no"); };
  return {{"d", "refresh interval in seconds", fmt::format("{}", settings.delay)},
          {"e", "number of rows", settings.entries == 0 ? "all" : fmt::format("{}", settings.entries)},
          {"f", "show rows with more samples than", fmt::format("{}", settings.least_samples)},
          {"F", "hide rows below this percentage", fmt::format("{:g}%", settings.least_percent)},
          {"K", "hide kernel functions", yes(settings.hide_kernel)},
          {"U", "hide user-space functions", yes(settings.hide_user)},
          {"z", "reset counts at each refresh", yes(settings.zero)},
          {"s", "annotate a function", settings.annotated.empty() ? "none" : settings.annotated},
          {"S", "stop annotating", ""},
          {"qQ", "quit", ""}};
}

bool is_live_key(char key) { return std::string_view("deEfFKUzsSqQ").contains(key); }

Result<bool> apply_live_key(char key, LiveSettings& settings, const AskLine& ask) {
  const auto number = [&](std::string_view question, auto& value) -> Result<> {
    auto answer = ask(question);
    if (!answer) return std::unexpected(std::move(answer.error()));
    using Number = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<Number>) {
      value = parse_percent(*answer).value_or(value);
    } else {
      value = leading_number<Number>(*answer).value_or(value);
    }
    return {};
  };
  switch (key) {
    case 'd':
      PEREGRINE_TRY(number("Refresh interval in seconds", settings.delay));
      settings.delay = std::max(settings.delay, 1u);
      break;
    case 'e':
      PEREGRINE_TRY(number("Number of rows (0: all)", settings.entries));
      break;
    case 'f':
      PEREGRINE_TRY(number("Show rows with more samples than", settings.least_samples));
      break;
    case 'F':
      PEREGRINE_TRY(number("Minimum percentage", settings.least_percent));
      break;
    case 's': {
      auto name = ask("Function");
      if (!name) return std::unexpected(std::move(name.error()));
      if (!name->empty()) settings.annotated = std::move(*name);
      break;
    }
    case 'S':
      settings.annotated.clear();
      break;
    case 'K':
      settings.hide_kernel = !settings.hide_kernel;
      break;
    case 'U':
      settings.hide_user = !settings.hide_user;
      break;
    case 'z':
      settings.zero = !settings.zero;
      break;
    case 'q':
    case 'Q':
      return false;
    default:
      break;
  }
  return true;
}

}  // namespace peregrine
