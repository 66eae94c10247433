// MetricPlanner: turns the argument of -M into a MetricSet and the events it needs. Used only by plan_metrics().
//
// Three steps: select the metrics; resolve each formula's references and event names; group the events, largest group
// first, so that a smaller metric finds its events in an existing group.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/expression.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"
#include "analysis/metric/metric_set.h"
#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

class MetricPlanner {
 public:
  MetricPlanner(const MetricCatalogue& catalogue, const MetricOptions& options, const MetricFacts& facts,
                EventSources& sources, EventList& events, std::vector<std::string>& warnings);
  Result<MetricSet> plan(std::string_view words);

 private:
  using Formula = MetricSet::Formula;

  // A metric to compute.
  struct Wanted {
    const MetricDefinition* definition = nullptr;
    std::string modifiers;  // for its events
    std::string word;       // the item of -M that requested it
    bool by_name = false;   // requested by name rather than through a group
  };
  // Its formula and those it refers to: metrics_[first … end) of the set.
  struct Tree {
    Wanted wanted;
    std::size_t first = 0, root = 0, end = 0;
    std::vector<std::string> events;  // without duplicates
  };
  // Events opened together: indices in the list of each one's counters.
  struct EventGroup {
    std::map<std::string, std::vector<std::size_t>, std::less<>> at;
    std::size_t first = 0;
  };
  // Parsed but not yet in the list.
  struct Parsed {
    std::string event;
    EventList specs;
  };

  Result<std::vector<Wanted>> choose(std::string_view words) const;
  Result<Tree> grow(const Wanted& wanted);
  Result<std::size_t> resolve(const MetricDefinition& definition, Tree& tree, unsigned depth);
  Result<Formula> formula_of(const std::string& text, const MetricDefinition& definition, Tree& tree, unsigned depth);
  bool is_grouped(const Wanted& wanted) const;
  Result<std::size_t> place(const Tree& tree);
  std::string schedule_of(const EventSpec& spec) const;
  const EventGroup* shared(const Tree& tree) const;
  Result<EventGroup> open(const Tree& tree);
  void append(std::vector<Parsed> parsed, bool grouped, EventGroup& group);
  void bind(const Tree& tree, const EventGroup& group);

  const MetricCatalogue& catalogue_;
  const MetricOptions& options_;
  const MetricFacts& facts_;
  EventSources& sources_;
  EventList& events_;
  std::vector<std::string>& warnings_;
  bool watchdog_ = false, smt_ = false;
  MetricSet set_;
  std::vector<EventGroup> groups_;
};

}  // namespace peregrine
