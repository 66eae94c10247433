#include "cmd/stat/stat_choice.h"

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/stat/stat_place.h"
#include "base/result.h"
#include "capture/target/control_channel.h"
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
    return filter_values(options.request.value_fields.back(), use.value, options.request.sources);
  return set_filter(options.request.sources, options.request.events, options.last_word, use.value, FilterUse::Counting);
}

Result<> add_values(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.value_fields.clear();
    options.last_is_hist = false;
    return {};
  }
  auto field = parse_value_field(use.value, options.request.sources);
  if (!field) return std::unexpected(std::move(field.error()));
  options.request.value_fields.push_back(std::move(*field));
  options.last_is_hist = true;
  return {};
}

Result<> choose_buckets(StatOptions& options, const Use& use) {
  options.request.value_bounds.clear();
  return use.negated ? Result<>() : store_parsed(parse_value_bounds(use.value), options.request.value_bounds);
}

Result<> set_repeat(StatOptions& options, const Use& use) {
  options.repeat_given = !use.negated;
  options.request.repeat = 1;
  return use.negated ? Result<>() : store_parsed(store_detail::number<unsigned>(use), options.request.repeat);
}

Result<> set_interval(StatOptions& options, const Use& use) {
  options.request.interval_ms = 0;  // none
  return use.negated ? Result<>() : store_parsed(store_detail::number<unsigned>(use), options.request.interval_ms);
}

Result<> choose_versus(StatOptions& options, const Use& use) {
  options.versus.clear();
  if (use.negated) return {};
  if (use.value.find_first_not_of(' ') == std::string_view::npos)
    return fail(ErrorKind::Usage, "option `vs' expects a command to compare with");
  options.versus = use.value;
  return {};
}

Result<> choose_counted_cgroups(StatOptions& options, const Use& use) {
  if (use.negated) {
    unbind_cgroups(options.request.events);
    options.request.cgroups = 0;
    return {};
  }
  return bind_checked_cgroups(options.request.sources.root(), use.value, options.request.cgroups,
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
  return std::unexpected(Error{ErrorKind::Usage, "--iostat= names no port"}.with_hint("--iostat alone means all"));
}

Result<> choose_bpf_programs(StatOptions& options, const Use& use) {
  return store_parsed(parse_bpf_programs(use.negated ? std::string_view() : use.value), options.request.bpf.programs);
}

Result<> choose_stat_control(StatOptions& options, const Use& use) {
  options.request.control.reset();
  if (use.negated) return {};
  auto channel = ControlChannel::open(use.value);
  if (!channel) return std::unexpected(std::move(channel.error()));
  options.request.control.emplace(std::move(*channel));
  return {};
}

Result<> by_cache(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.aggregation = StatAggregation::Global;
    options.request.cache_level = 0;
    return {};
  }
  PEREGRINE_TRY(store_parsed(parse_cache_level(use.value), options.request.cache_level));
  options.request.aggregation = StatAggregation::Cache;
  return {};
}

Result<> choose_latency(StatOptions& options, const Use& use) {
  return store_parsed(parse_latency_mode(use.negated ? "mean" : use.value), options.request.latency_mode);
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
