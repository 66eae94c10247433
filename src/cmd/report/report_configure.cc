// Settings in perfconfig for report: report.*, call-graph.* and hist.percentage.
#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "analysis/hist/row/graph_options.h"
#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "cmd/report/report_options.h"

namespace peregrine::cmd {
namespace {

struct GraphSetting {
  std::string_view key;
  std::array<std::string_view, 4> words;
  std::string_view expected;
};

constexpr GraphSetting kGraphSettings[] = {
    {"call-graph.print-type", {"graph", "flat", "fractal", "folded"}, "graph, flat, fractal or folded"},
    {"call-graph.order", {"caller", "callee"}, "caller or callee"},
    {"call-graph.sort-key", {"function", "address", "srcline", "branch"}, "function, address, srcline or branch"},
};

std::unexpected<Error> invalid(std::string_view key, std::string_view value, std::string_view expected) {
  return fail(ErrorKind::Usage, "invalid value '{}' for {}: must be {}", value, key, expected);
}

// Keywords may be abbreviated, as in -g.
Result<> apply_graph_word(const GraphSetting& setting, std::string_view value, GraphOptions& graph) {
  for (const std::string_view word : setting.words)
    if (!word.empty() && word.starts_with(value)) return parse_graph_options(word, graph);
  return invalid(setting.key, value, setting.expected);
}

Result<> set_flag(const Config& config, std::string_view key, bool& flag) {
  const auto value = config.flag(key, flag);
  if (!value) return std::unexpected(value.error());
  flag = *value;
  return {};
}

}  // namespace

Result<> configure_graph(const Config& config, GraphOptions& graph) {
  for (const GraphSetting& setting : kGraphSettings)
    if (const auto value = config.find(setting.key)) PEREGRINE_TRY(apply_graph_word(setting, *value, graph));
  if (const auto text = config.find("call-graph.threshold")) {
    const auto percent = parse_real(*text);
    if (!percent) return invalid("call-graph.threshold", *text, "a percentage");
    graph.least_percent = *percent;
  }
  if (const auto text = config.find("call-graph.print-limit")) {
    const auto limit = parse_number<decltype(graph.print_limit)>(*text);
    if (!limit) return invalid("call-graph.print-limit", *text, "a number of branches");
    graph.print_limit = *limit;
  }
  return {};
}

Result<> configure_percentage(const Config& config, bool& relative) {
  const auto value = config.find("hist.percentage");
  if (!value) return {};
  if (*value != "relative" && *value != "absolute") return invalid("hist.percentage", *value, "relative or absolute");
  relative = *value == "relative";
  return {};
}

Result<> ReportOptions::configure(const Config& config) {
  PEREGRINE_TRY(configure_graph(config, request.chains.graph));
  PEREGRINE_TRY(configure_percentage(config, request.grouping.relative));
  PEREGRINE_TRY(set_flag(config, "report.children", request.grouping.children));
  // Unlike --group, the setting does not group events that were recorded separately.
  PEREGRINE_TRY(set_flag(config, "report.group", request.grouping.group));
  PEREGRINE_TRY(set_flag(config, "report.skip-empty", request.look.skip_empty));
  if (const auto limit = config.find("report.percent-limit")) {
    const auto parsed = parse_percent(*limit);
    if (!parsed) return invalid("report.percent-limit", *limit, "a percentage");
    request.look.percent_limit = request.chains.graph.least_percent = *parsed;
  }
  if (const auto order = config.find("report.sort_order")) request.grouping.sort = std::string(*order);
  return {};
}

}  // namespace peregrine::cmd
