// MetricPlanner: from the words of -M to a MetricSet and the events that it needs. Used by plan_metrics() alone.
//
// In three steps: which metrics; each one's formula with its references, and the names of its events; then events into
// groups, the largest first, so that a metric that needs less finds its events in a group that is there.
#pragma once
#include <map>

#include "analysis/metric/metric_set.h"

namespace peregrine {

class MetricPlanner {
 public:
  MetricPlanner(const MetricCatalogue& catalogue, const MetricOptions& options, const MetricFacts& facts,
                EventSources& sources, EventList& events, std::vector<std::string>& warnings);
  Result<MetricSet> plan(std::string_view words);

 private:
  using Formula = MetricSet::Formula;

  // A metric that was asked for.
  struct Wanted {
    const MetricDefinition* definition = nullptr;
    std::string modifiers;  // for its events
    std::string word;       // that asked for it
    bool by_name = false;   // not by a group
  };
  // Its formula and those it refers to: metrics_[first … end) of the set.
  struct Tree {
    Wanted wanted;
    std::size_t first = 0, root = 0, end = 0;
    std::vector<std::string> events;  // each once
  };
  // Events that were opened together: where each one's counters are in the list.
  struct EventGroup {
    std::map<std::string, std::vector<std::size_t>, std::less<>> at;
    std::size_t first = 0;
  };
  // Parsed, not yet in the list.
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
