#include "output/text/format/metric_value.h"

#include <fmt/format.h>

namespace peregrine {

namespace {

struct ValueForm {
  int width, decimals;
  const char* behind;
};

constexpr ValueForm look_of(StatMetric::Format format) {
  switch (format) {
    case StatMetric::Format::Rate:
      return {8, 3, ""};
    case StatMetric::Format::Ratio:
      return {7, 2, " "};
    case StatMetric::Format::Percent:
      return {7, 2, "%"};
    case StatMetric::Format::FinePercent:
      return {8, 3, " %"};
    case StatMetric::Format::Share:
      return {8, 1, "%"};
    case StatMetric::Format::Whole:
      return {8, 0, ""};
    case StatMetric::Format::Count:
      return {4, 0, ""};
    case StatMetric::Format::Plain:
      return {8, 2, ""};
    case StatMetric::Format::Scaled:
      return {8, 1, ""};
  }
  return {0, 0, ""};
}

}  // namespace

std::string metric_column(const StatMetric& metric) {
  if (!metric.value) return {};
  const ValueForm look = look_of(metric.format);
  return fmt::format("{:{}.{}f}{}", *metric.value, look.width, look.decimals, look.behind);
}

std::string red_if_bad(const StatMetric& metric, const std::string& text, bool color) {
  return color && metric.is_bad.value_or(false) ? "\033[31m" + text + "\033[m" : text;
}

std::string metric_digits(const StatMetric& metric) {
  if (!metric.value) return {};
  return fmt::format("{:.{}f}", *metric.value, look_of(metric.format).decimals);
}

}  // namespace peregrine
