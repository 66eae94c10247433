#include "cmd/stat/stat_choice.h"

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/stat/stat_place.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "event/config/cgroup_choice.h"
#include "event/kind/pfm_event.h"
#include "event/syntax/parse.h"
#include "event/tracepoint/value_field.h"
#include "session/counting/plan/stat_words.h"

namespace peregrine::cmd {

namespace {

template <class T>
Result<> store_parsed(Result<T> parsed, T& member) {
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  member = std::move(*parsed);
  return {};
}

}  // namespace

Result<> add_counted_events(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.events.clear();
    return {};
  }
  options.last_word = options.request.events.size();
  options.last_is_hist = false;
  return parse_events(use.value, options.request.sources, options.request.events);
}

Result<> add_counted_pfm_events(StatOptions& options, const Use& use) {
  if (use.negated) return {};
  options.last_word = options.request.events.size();
  options.last_is_hist = false;
  return parse_pfm_events(use.value, options.request.sources, options.request.events);
}

Result<> filter_counted(StatOptions& options, const Use& use) {
  if (options.last_is_hist)
    return filter_values(options.request.values.fields.back(), use.value, options.request.sources);
  return set_filter(options.request.sources, options.request.events, options.last_word, use.value, FilterUse::Counting);
}

Result<> add_values(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.values.fields.clear();
    options.last_is_hist = false;
    return {};
  }
  auto field = parse_value_field(use.value, options.request.sources);
  if (!field) return std::unexpected(std::move(field.error()));
  options.request.values.fields.push_back(std::move(*field));
  options.last_is_hist = true;
  return {};
}

Result<> set_repeat(StatOptions& options, const Use& use) {
  options.repeat_given = !use.negated;
  options.request.runs.repeat = 1;
  if (parse_number<i64>(use.value).value_or(0) < 0)
    return fail(ErrorKind::Usage, "Run count must be a positive number");
  return use.negated ? Result<>() : store_parsed(store_detail::number<unsigned>(use), options.request.runs.repeat);
}

Result<std::string_view> parse_versus(std::string_view words) {
  if (words.find_first_not_of(' ') != words.npos) return words;
  return fail(ErrorKind::Usage, "option `vs' expects a command to compare with");
}

Result<> choose_counted_cgroups(StatOptions& options, const Use& use) {
  if (use.negated) {
    unbind_cgroups(options.request.events);
    options.request.cgroup.named = 0;
    return {};
  }
  return bind_checked_cgroups(options.request.sources.root(), use.value, options.request.cgroup.named,
                              options.request.events);
}

Result<> choose_core_type(StatOptions& options, const Use& use) {
  return count_on_core_type(options.request.sources, use.value);
}

Result<> choose_pmu(StatOptions& options, const Use& use) { return options.request.sources.choose_pmu(use.value); }

Result<> choose_iostat(StatOptions& options, const Use& use) {
  options.request.port.words.reset();
  if (!use.negated) options.request.port.words = use.has_value ? use.value : "";
  if (!use.has_value || !use.value.empty()) return {};
  return std::unexpected(
      Error{ErrorKind::Usage, "missing port in --iostat="}.with_hint("use --iostat without a value for all ports"));
}

Result<> by_cache(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.rows.aggregation = StatAggregation::Global;
    options.request.rows.cache_level = 0;
    return {};
  }
  PEREGRINE_TRY(store_parsed(parse_cache_level(use.value), options.request.rows.cache_level));
  options.request.rows.aggregation = StatAggregation::Cache;
  return {};
}

Result<> add_metrics(StatOptions& options, const Use& use) {
  std::string& words = options.request.metric.words;
  if (use.negated)
    words.clear();
  else
    words += (words.empty() ? "" : ",") + std::string(use.value);
  return {};
}

Result<> choose_json_lines(StatOptions& options, const Use& use) {
  options.json = options.json_lines = !use.negated;
  return {};
}

}  // namespace peregrine::cmd
