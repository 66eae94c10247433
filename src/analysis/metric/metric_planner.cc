#include "analysis/metric/metric_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/metric/expression.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"
#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

constexpr unsigned kMaxReferences = 32;       // depth of references between metrics
constexpr std::size_t kMaxFormulas = 50'000;  // per plan

// "cycles" + "u" → "cycles:u", "cpu/cycles/" → "cpu/cycles/u".
std::string with_modifiers(const std::string& event, const std::string& modifiers) {
  if (modifiers.empty() || event == "duration_time" || event == "user_time" || event == "system_time") return event;
  if (event.find('/') == std::string::npos)
    return event + (event.find(':') == std::string::npos ? ":" : "") + modifiers;
  return event + modifiers;
}

// The slots counter must lead the group of its shares (Intel SDM volume 3, PERF_METRICS and fixed counter 3).
bool counts_slots(const std::string& event) {
  const std::string_view name =
      std::string_view(event).substr(event.find('/') == std::string::npos ? 0 : event.find('/') + 1);
  return name.substr(0, name.find_first_of(":/")) == "slots" || name.starts_with("topdown.slots") ||
         name.starts_with("TOPDOWN.SLOTS");
}

}  // namespace

MetricPlanner::MetricPlanner(const MetricCatalogue& catalogue, const MetricOptions& options, const MetricFacts& facts,
                             EventSources& sources, EventList& events, std::vector<std::string>& warnings)
    : catalogue_(catalogue),
      options_(options),
      facts_(facts),
      sources_(sources),
      events_(events),
      warnings_(warnings),
      watchdog_(sources.root().number("/proc/sys/kernel/nmi_watchdog").value_or(0) != 0),
      smt_(facts.literal("smt_on").value_or(0) != 0) {}

Result<std::vector<MetricPlanner::Wanted>> MetricPlanner::choose(std::string_view words) const {
  std::vector<Wanted> chosen;
  std::set<std::pair<const MetricDefinition*, std::string>> known;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(','), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::string modifiers(colon < word.size() ? word.substr(colon + 1) : std::string_view());
    word = word.substr(0, colon);
    const auto found = catalogue_.matching(word);
    if (found.empty()) {
      const std::string near = catalogue_.nearest(word);
      return std::unexpected(
          Error{ErrorKind::NotFound, fmt::format("Cannot find metric or group `{}'", word),
                near.empty() ? "'list metric' shows the metrics" : fmt::format("did you mean '{}'?", near)});
    }
    const MetricDefinition* exact = catalogue_.find(word);
    for (const MetricDefinition* definition : found)
      if (known.emplace(definition, modifiers).second)
        chosen.push_back({definition, modifiers, std::string(word), definition == exact});
  }
  return chosen;
}

Result<MetricPlanner::Formula> MetricPlanner::formula_of(const std::string& text, const MetricDefinition& definition,
                                                         Tree& tree, unsigned depth) {
  auto parsed = MetricExpression::parse(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  auto folded = parsed->fold(facts_);
  if (!folded) return std::unexpected(std::move(folded.error()));
  Formula formula{.expression = std::move(*folded), .sources = {}};
  for (const std::string& name : formula.expression.names()) {
    MetricSet::Source source;
    const MetricDefinition* other = catalogue_.find(name);
    if (other != nullptr && other->name == name && other != &definition) {
      auto index = resolve(*other, tree, depth + 1);
      if (!index) return std::unexpected(std::move(index.error()));
      source.metric = *index;
    } else if (std::ranges::find(tree.events, name) == tree.events.end()) {
      tree.events.push_back(name);
    }
    formula.sources.push_back(std::move(source));
  }
  return formula;
}

Result<std::size_t> MetricPlanner::resolve(const MetricDefinition& definition, Tree& tree, unsigned depth) {
  for (std::size_t i = tree.first; i < set_.metrics_.size(); ++i)
    if (set_.metrics_[i].name == definition.name) return i;
  if (depth > kMaxReferences || set_.metrics_.size() > kMaxFormulas)
    return fail(ErrorKind::Malformed, "metric '{}' has a circular reference", definition.name);
  auto value = formula_of(definition.expression, definition, tree, depth);
  if (!value) return std::unexpected(std::move(value.error()));
  set_.metrics_.push_back({definition.name, metric_scale(definition.scale_unit), std::move(*value), {}, {}});
  return set_.metrics_.size() - 1;
}

Result<MetricPlanner::Tree> MetricPlanner::grow(const Wanted& wanted) {
  const MetricDefinition& definition = *wanted.definition;
  Tree tree{.wanted = wanted, .first = set_.metrics_.size(), .events = {}};
  auto root = resolve(definition, tree, 0);
  if (!root) return std::unexpected(std::move(root.error()));
  tree.root = *root;
  if (options_.threshold && !definition.threshold.empty()) {
    // In a threshold, the metric's own name means its value. If the threshold cannot be computed, omit the verdict.
    const auto without = tree.events;
    if (auto threshold = formula_of(definition.threshold, {}, tree, 1))
      set_.metrics_[tree.root].threshold = std::move(*threshold);
    else
      tree.events = without;
  }
  tree.end = set_.metrics_.size();
  if (tree.events.empty()) tree.events.emplace_back("duration_time");  // a constant metric still needs a row
  return tree;
}

bool MetricPlanner::is_grouped(const Wanted& wanted) const {
  if (!options_.group) return false;
  const std::string& ungrouped = wanted.definition->ungrouped_in;
  if (!wanted.by_name && (";" + ungrouped + ";").find(";" + wanted.word + ";") != std::string::npos) return false;
  switch (wanted.definition->constraint) {
    case MetricConstraint::None:
      return true;
    case MetricConstraint::NoGroup:
      return false;
    case MetricConstraint::NoGroupWithWatchdog:
      return !watchdog_;
    case MetricConstraint::NoGroupWithSmt:
      return !smt_;
    case MetricConstraint::NoGroupWithThresholdAndWatchdog:
      return !watchdog_ || !options_.threshold;
  }
  return true;
}

// Only events with the same schedule can form a group: those of one uncore PMU, or those of the cores (of one core type
// on hybrid machines). Tool events and retire latencies use no counter, so each has a separate schedule.
std::string MetricPlanner::schedule_of(const EventSpec& spec) const {
  if (spec.tool != ToolEvent::None || spec.retire_latency) return "-" + spec.name;
  const auto& cores = sources_.core_pmus();
  const bool of_some_cores =
      cores.size() > 1 && std::ranges::any_of(cores, [&](const Pmu* core) { return core->name == spec.pmu; });
  return spec.system_wide || of_some_cores ? spec.pmu : std::string();
}

const MetricPlanner::EventGroup* MetricPlanner::shared(const Tree& tree) const {
  if (!options_.merge) return nullptr;
  for (const EventGroup& group : groups_)
    if (std::ranges::all_of(tree.events, [&](const std::string& event) {
          return group.at.contains(with_modifiers(event, tree.wanted.modifiers));
        }))
      return &group;
  return nullptr;
}

Result<MetricPlanner::EventGroup> MetricPlanner::open(const Tree& tree) {
  std::vector<Parsed> parsed;
  for (const std::string& name : tree.events) {
    const std::string event = with_modifiers(name, tree.wanted.modifiers);
    EventList specs;
    if (auto known = parse_events(event, sources_, specs); !known)
      return std::unexpected(Error{ErrorKind::Unsupported,
                                   fmt::format("metric '{}' requires event '{}', which is not available here",
                                               tree.wanted.definition->name, event),
                                   known.error().message});
    const auto of_unit = [&](const EventSpec& spec) { return spec.pmu == tree.wanted.definition->pmu; };
    if (std::ranges::any_of(specs, of_unit)) std::erase_if(specs, std::not_fn(of_unit));
    parsed.push_back({event, std::move(specs)});
  }
  std::ranges::stable_partition(parsed, [](const Parsed& each) { return counts_slots(each.event); });
  EventGroup group;
  group.first = events_.size();
  append(std::move(parsed), is_grouped(tree.wanted), group);
  return group;
}

void MetricPlanner::append(std::vector<Parsed> parsed, bool grouped, EventGroup& group) {
  std::vector<std::string> schedules;
  for (const Parsed& each : parsed)
    for (const EventSpec& spec : each.specs)
      if (std::ranges::find(schedules, schedule_of(spec)) == schedules.end()) schedules.push_back(schedule_of(spec));
  for (const std::string& schedule : schedules) {
    const std::size_t leader = events_.size();
    for (Parsed& each : parsed)
      for (EventSpec& spec : each.specs) {
        if (schedule_of(spec) != schedule) continue;
        group.at[each.event].push_back(events_.size());
        spec.leader = grouped ? leader : events_.size();
        spec.group_size = 1;
        events_.push_back(std::move(spec));
      }
    if (!grouped || events_.size() - leader < 2) continue;
    events_[leader].group_size = events_.size() - leader;
    for (std::size_t i = leader; i < events_.size(); ++i) events_[i].weak_group = true;
  }
}

void MetricPlanner::bind(const Tree& tree, const EventGroup& group) {
  const auto bind_formula = [&](Formula& formula) {
    for (std::size_t i = 0; i < formula.sources.size(); ++i)
      if (!formula.sources[i].metric)
        formula.sources[i].events =
            group.at.find(with_modifiers(formula.expression.names()[i], tree.wanted.modifiers))->second;
  };
  for (std::size_t i = tree.first; i < tree.end; ++i) bind_formula(set_.metrics_[i].value);
  MetricSet::Metric& root = set_.metrics_[tree.root];
  if (root.threshold) bind_formula(*root.threshold);
  root.shown_at = group.first;
}

Result<MetricSet> MetricPlanner::plan(std::string_view words) {
  auto chosen = choose(words);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  std::vector<Tree> trees;
  std::size_t left_out = 0;
  std::string why;
  const auto leave_out = [&](const Wanted& wanted, Error error) -> Result<> {
    if (wanted.by_name) return std::unexpected(std::move(error));
    if (left_out++ == 0) why = error.message;
    return {};
  };
  for (const Wanted& wanted : *chosen) {
    const std::size_t before = set_.metrics_.size();
    if (auto tree = grow(wanted)) {
      trees.push_back(std::move(*tree));
    } else {
      set_.metrics_.resize(before);
      PEREGRINE_TRY(leave_out(wanted, std::move(tree.error())));
    }
  }
  std::ranges::stable_sort(trees, [](const Tree& a, const Tree& b) { return a.events.size() > b.events.size(); });
  set_.first_event_ = events_.size();
  std::size_t shown = 0;
  for (const Tree& tree : trees) {
    const EventGroup* group = shared(tree);
    if (group == nullptr) {
      auto opened = open(tree);
      if (!opened) {
        PEREGRINE_TRY(leave_out(tree.wanted, std::move(opened.error())));
        continue;
      }
      group = &groups_.emplace_back(std::move(*opened));
    }
    bind(tree, *group);
    ++shown;
  }
  set_.end_event_ = events_.size();
  if (shown == 0 && left_out > 0) return std::unexpected(Error{ErrorKind::Unsupported, why});
  if (left_out > 0)
    warnings_.push_back(fmt::format("{} of {} metrics cannot be counted here: {}", left_out, chosen->size(), why));
  return std::move(set_);
}

Result<MetricSet> plan_metrics(std::string_view words, const MetricCatalogue& catalogue, const MetricOptions& options,
                               const MetricFacts& facts, EventSources& sources, EventList& events,
                               std::vector<std::string>& warnings) {
  return MetricPlanner(catalogue, options, facts, sources, events, warnings).plan(words);
}

}  // namespace peregrine
