#include "analysis/hist/row/graph_options.h"

#include <algorithm>
#include <cstddef>

#include "base/number/parse_number.h"
#include "base/number/whole_number.h"
#include "base/types.h"

namespace peregrine {
namespace {

struct GraphWord {
  std::string_view name;
  void (*apply)(GraphOptions&);
};

constexpr GraphWord kGraphWords[] = {
    {"graph", [](GraphOptions& o) { o.mode = GraphMode::Graph; }},
    {"flat", [](GraphOptions& o) { o.mode = GraphMode::Flat; }},
    {"fractal", [](GraphOptions& o) { o.mode = GraphMode::Fractal; }},
    {"folded", [](GraphOptions& o) { o.mode = GraphMode::Folded; }},
    {"none", [](GraphOptions& o) { o.mode = GraphMode::None; }},
    {"caller", [](GraphOptions& o) { o.order = ChainOrder::Caller, o.order_given = true; }},
    {"callee", [](GraphOptions& o) { o.order = ChainOrder::Callee, o.order_given = true; }},
    {"function", [](GraphOptions& o) { o.key = GraphKey::Function; }},
    {"address", [](GraphOptions& o) { o.key = GraphKey::Address; }},
    {"srcline", [](GraphOptions& o) { o.key = GraphKey::SourceLine; }},
    {"branch", [](GraphOptions& o) { o.branches = true; }},
    {"percent", [](GraphOptions& o) { o.value = GraphValue::Percent; }},
    {"period", [](GraphOptions& o) { o.value = GraphValue::Period; }},
    {"count", [](GraphOptions& o) { o.value = GraphValue::Count; }},
};

bool apply_word(std::string_view token, GraphOptions& options) {
  for (const GraphWord& word : kGraphWords) {
    if (!word.name.starts_with(token)) continue;
    word.apply(options);
    return true;
  }
  return false;
}

}  // namespace

Result<> parse_graph_options(std::string_view text, GraphOptions& options) {
  bool have_threshold = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view token = text.substr(at, end - at);
    at = end + 1;
    if (token.empty() || apply_word(token, options)) continue;
    if (!have_threshold) {
      const auto percent = parse_number<double>(token);
      if (percent && *percent >= 0) {
        options.least_percent = *percent;
        have_threshold = true;
        continue;
      }
    } else if (const auto limit = parse_number<decltype(options.print_limit)>(token)) {
      options.print_limit = *limit;
      continue;
    }
    return fail(ErrorKind::Usage, "unknown --call-graph value '{}'", token);
  }
  return {};
}

u64 least_total(u64 whole, const GraphOptions& options) {
  if (options.mode == GraphMode::Fractal) return 0;
  // Anything above 100 % hides everything, so clamp huge values.
  return whole_number(static_cast<double>(whole) * (std::min(options.least_percent, 200.0) / 100));
}

double least_share(const GraphOptions& options) {
  return options.mode == GraphMode::Fractal ? options.least_percent / 100 : 0;
}

}  // namespace peregrine
