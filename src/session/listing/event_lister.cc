#include "session/listing/event_lister.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "analysis/metric/expression.h"
#include "analysis/metric/machine_facts.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"
#include "analysis/metric/metric_set.h"
#include "base/fd.h"
#include "base/nearest.h"
#include "capture/perf_event/event_matrix.h"
#include "event/field/trace_format.h"
#include "event/kind/generic_event.h"
#include "event/spec.h"
#include "event/vendor/named_event.h"
#include "output/json/event_list_json.h"
#include "output/text/system/event_list.h"
#include "session/events/metric_files.h"

namespace peregrine {

namespace {

constexpr EventKind kEveryKind[] = {
    EventKind::Hardware, EventKind::Software, EventKind::Tool,       EventKind::HardwareCache, EventKind::KernelPmu,
    EventKind::Named,    EventKind::Sensor,   EventKind::Descriptor, EventKind::Tracepoint,    EventKind::Sdt};

enum class ListedMetrics { None, Names, Groups };

struct WordKinds {
  std::string_view word;
  std::vector<EventKind> kinds;
  ListedMetrics metrics = ListedMetrics::None;
};

std::vector<WordKinds> word_kinds() {
  return {
      {"tracepoint", {EventKind::Tracepoint}},
      {"hw", {EventKind::Hardware}},
      {"hardware", {EventKind::Hardware}},
      {"sw", {EventKind::Software, EventKind::Tool}},
      {"software", {EventKind::Software, EventKind::Tool}},
      {"cache", {EventKind::HardwareCache}},
      {"hwcache", {EventKind::HardwareCache}},
      {"pmu", {EventKind::KernelPmu, EventKind::Named, EventKind::Sensor}},
      {"sdt", {EventKind::Sdt}},
      {"pfm", {EventKind::LibPfm}},
      {"metric", {}, ListedMetrics::Names},
      {"metrics", {}, ListedMetrics::Names},
      {"metricgroup", {}, ListedMetrics::Groups},
      {"metricgroups", {}, ListedMetrics::Groups},
  };
}

class EventLister {
 public:
  EventLister(ListRequest& request, const CanOpen& can_open, Sink& out, SessionListener& listener)
      : request_(request),
        can_open_(can_open),
        out_(out),
        listener_(listener),
        style_{request.describe, request.long_description, request.details},
        text_(style_, out),
        json_(out) {
    base_.deprecated = request.deprecated;
    base_.pmu = request.cpu_type.empty() ? request.unit : "cpu_" + request.cpu_type;
    base_.sdt_cache = request.sources.marker_cache;
  }

  Result<> list() {
    if (request_.json) json_.begin();
    if (request_.words.empty()) print_everything();
    for (const std::string& word : request_.words) PEREGRINE_TRY(print_word(word));
    if (request_.summary) print_summary();
    if (request_.json) json_.end();
    if (request_.raw_dump && request_.words.empty()) out_.append('\n');
    for (const std::string& problem : request_.sources.problems()) listener_.warning(problem);
    return {};
  }

 private:
  void print_everything() {
    for (const EventKind kind : kEveryKind) print_what_is_there(kind, filter());
    tell_refused();
    if (request_.unit.empty() && request_.cpu_type.empty() && !request_.summary) print_metrics();
  }

  Result<> print(EventKind kind, const CatalogueFilter& filter) {
    if (!base_.pmu.empty() && kind != EventKind::KernelPmu && kind != EventKind::Named && kind != EventKind::Sensor)
      return {};
    const auto entries = catalogue(request_.sources, kind, filter, can_open_);
    if (!entries) return std::unexpected(entries.error());
    for (const auto& entry : *entries) {
      if (request_.summary) {
        count(entry);
      } else if (request_.raw_dump) {
        if (kind != EventKind::Descriptor) out_.append(entry.name).append(' ');
      } else if (request_.json) {
        if (kind != EventKind::Descriptor) json_.print(entry);
      } else {
        text_.print({&entry, 1});
        if (kind == EventKind::Tracepoint && request_.long_description) print_format(entry.name);
      }
    }
    printed_ += entries->size();
    return {};
  }

  CatalogueFilter filter(std::string glob = {}, std::string system = {}) const {
    CatalogueFilter filter = base_;
    filter.glob = std::move(glob);
    filter.system = std::move(system);
    return filter;
  }

  // Without tracefs, everything else is still listed; tell_refused() reports it once.
  void print_what_is_there(EventKind kind, const CatalogueFilter& filter) {
    if (auto done = print(kind, filter); !done && !refused_) refused_ = std::move(done.error());
  }
  void tell_refused() {
    if (refused_ && !told_) listener_.note(refused_->message, refused_->hint);
    told_ = refused_.has_value();
  }

  void print_metrics(const std::string& part = {});
  void print_groups();
  std::vector<MetricDefinition> metrics(const std::string& part = {});

  Result<> print_word(const std::string& word) {
    for (const auto& [name, kinds, metrics] : word_kinds()) {
      if (name != word) continue;
      for (const EventKind kind : kinds) PEREGRINE_TRY(print(kind, filter()));
      if (metrics == ListedMetrics::Names) print_metrics();
      if (metrics == ListedMetrics::Groups) print_groups();
      return {};
    }
    const std::size_t before = printed_;
    if (const auto colon = word.find(':'); colon != std::string::npos) {
      const auto chosen = filter(word.substr(colon + 1), word.substr(0, colon));
      if (word.starts_with("sdt_")) return print(EventKind::Sdt, chosen);
      if (word[0] >= 'A' && word[0] <= 'Z') PEREGRINE_TRY(print(EventKind::LibPfm, filter(word)));
      if (printed_ > before) return {};
      PEREGRINE_TRY(print(EventKind::Tracepoint, chosen));
      note_no_match(before, word);
      return {};
    }
    if (decode(word)) return {};
    if (word.starts_with("sdt_")) {
      PEREGRINE_TRY(print(EventKind::Sdt, filter({}, word)));
      if (printed_ == before && !request_.raw_dump && !request_.json)
        listener_.note(
            fmt::format("no SDT event name contains '{}'", word),
            fmt::format("add programs with SDT events: {} buildid-cache --add PROGRAM", request_.program_name));
      return {};
    }
    for (const EventKind kind : kEveryKind)
      if (kind != EventKind::Descriptor) print_what_is_there(kind, filter("*" + word + "*"));
    print_metrics(word);
    // "sched*" may refer to a subsystem.
    if (printed_ == before) print_what_is_there(EventKind::Tracepoint, filter({}, word));
    // The unreadable tracepoints may contain it.
    if (printed_ == before && refused_ && refused_->kind == ErrorKind::Denied) return std::unexpected(*refused_);
    tell_refused();
    note_no_match(before, word);
    return {};
  }

  void note_no_match(std::size_t before, const std::string& word) {
    if (printed_ != before || request_.raw_dump || request_.json) return;
    listener_.note(word.find(':') != std::string::npos ? fmt::format("no event matches '{}'", word)
                                                       : fmt::format("no event name contains '{}'", word),
                   nearest_hint(word));
  }

  // Suggests the nearest event, by its name or by a tracepoint's name without its system.
  std::string nearest_hint(const std::string& word) {
    if (word.find_first_of("*?[") != std::string::npos) return {};
    std::vector<std::string> names;
    for (const EventKind kind : kEveryKind) {
      if (kind == EventKind::Descriptor) continue;
      const auto entries = catalogue(request_.sources, kind, filter(), can_open_);
      if (!entries) continue;
      for (const CatalogueEntry& entry : *entries) {
        names.push_back(entry.name);
        if (!entry.alias.empty()) names.push_back(entry.alias);
      }
    }
    std::vector<std::string_view> views(names.begin(), names.end());
    for (const std::string_view name : names) {
      const std::size_t colon = name.find(':');
      views.push_back(colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1));
    }
    const auto near = nearest(word, views);
    if (!near) return {};
    const auto at = static_cast<std::size_t>(std::ranges::find(views, *near) - views.begin());
    return fmt::format("did you mean '{}'?", names[at % names.size()]);
  }

  void print_summary() {
    for (const auto& [what, number] : counts_) out_.format("{:>8}  {}\n", number, what);
    if (!subsystems_.empty()) out_.append("\nTracepoints by subsystem:\n\n");
    for (const auto& [system, number] : subsystems_) out_.format("{:>8}  {}\n", number, system);
  }

  void count(const CatalogueEntry& entry) {
    if (entry.kind == EventKind::Descriptor) return;
    std::string what(entry.label);
    if (entry.kind == EventKind::Named) what = "Named event of the processor";
    const auto at = std::find_if(counts_.begin(), counts_.end(), [&](const auto& each) { return each.first == what; });
    if (at == counts_.end())
      counts_.emplace_back(what, 1);
    else
      ++at->second;
    if (entry.kind == EventKind::Tracepoint) ++subsystems_[entry.name.substr(0, entry.name.find(':'))];
  }

  void print_format(const std::string& name) {
    const auto colon = name.find(':');
    const auto tracefs = request_.sources.tracefs();
    if (!tracefs) return;
    const auto system = name.substr(0, colon);
    const auto text = (*tracefs)->format(system, name.substr(colon + 1));
    if (!text) return;
    const auto format = parse_trace_format(system, *text);
    if (format)
      text_.format(*format);
    else
      listener_.warning(format.error().message);
  }

  // "r2c4": prints the name of the event with this code. Returns false if no event has it.
  bool decode(const std::string& word) {
    const auto code = parse_raw_event(word);
    const NamedEvent* named = code ? request_.sources.named().find_code(*code) : nullptr;
    if (named == nullptr) return false;
    CatalogueEntry entry;
    entry.kind = EventKind::Named;
    entry.name = word;
    entry.shown = fmt::format("{} = {}", word, named->event.name);
    entry.description = entry.long_description = named->description;
    entry.encoding = fmt::format("cpu/{}/", named->event.terms);
    entry.label = "Raw hardware event descriptor";
    if (request_.json)
      json_.print(entry);
    else
      text_.print({&entry, 1});
    return true;
  }

  ListRequest& request_;
  const CanOpen& can_open_;
  Sink& out_;
  SessionListener& listener_;
  EventListStyle style_;
  EventListText text_;
  EventListJson json_;
  CatalogueFilter base_;
  std::size_t printed_ = 0;
  std::optional<Error> refused_;  // first kind that could not be listed
  bool told_ = false;
  std::vector<std::pair<std::string, std::size_t>> counts_;
  std::map<std::string, std::size_t> subsystems_;
};

std::string joined_by_semicolons(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ";"));
}

// The metrics from files, and the built-in ones with events that exist on this machine, with `part` in their name.
std::vector<MetricDefinition> EventLister::metrics(const std::string& part) {
  const MetricCatalogue catalogue = load_metrics(request_.sources.event_files, listener_);
  const MetricFacts facts = machine_facts(request_.sources, {.system_wide = true, .chosen = {}});
  std::vector<MetricDefinition> found = catalogue.metrics();
  std::erase_if(found, [&](const MetricDefinition& metric) {
    if (metric.name.find(part) == std::string::npos) return true;
    EventList events;
    std::vector<std::string> warnings;
    return metric.origin == "built-in" &&
           !plan_metrics(metric.name, catalogue, {}, facts, request_.sources, events, warnings);
  });
  return found;
}

void EventLister::print_metrics(const std::string& part) {
  bool first = true;
  for (const auto& metric : metrics(part)) {
    ++printed_;
    if (request_.summary) continue;
    const auto& description =
        request_.long_description && !metric.long_description.empty() ? metric.long_description : metric.description;
    if (request_.raw_dump) {
      out_.append(metric.name).append(' ');
    } else if (request_.json) {
      const std::pair<std::string_view, std::string> members[] = {{"MetricGroup", joined_by_semicolons(metric.groups)},
                                                                  {"MetricName", metric.name},
                                                                  {"MetricExpr", metric.expression},
                                                                  {"MetricThreshold", metric.threshold},
                                                                  {"ScaleUnit", metric.scale_unit},
                                                                  {"BriefDescription", metric.description},
                                                                  {"PublicDescription", metric.long_description}};
      json_.object(members);
    } else {
      if (first) text_.heading("Metrics");
      text_.described(metric.name, description, metric.expression);
    }
    first = false;
  }
}

void EventLister::print_groups() {
  std::set<std::string> groups;
  for (const MetricDefinition& metric : metrics()) groups.insert(metric.groups.begin(), metric.groups.end());
  if (!request_.raw_dump && !request_.json) text_.heading("Metric Groups");
  for (const std::string& group : groups) {
    ++printed_;
    if (request_.raw_dump) {
      out_.append(group).append(' ');
    } else if (request_.json) {
      const std::pair<std::string_view, std::string> members[] = {{"MetricGroup", group}};
      json_.object(members);
    } else {
      out_.append(group).append('\n');
    }
  }
}

}  // namespace

bool can_open_counter(u32 type, u64 config) {
  abi::EventAttr attr;
  attr.type = type;
  attr.config = config;
  attr.set(abi::attr_flag::Disabled);
  int opened = open_event(attr, 0, -1, -1);
  if (opened == -EACCES) {
    attr.set(abi::attr_flag::ExcludeKernel);
    opened = open_event(attr, 0, -1, -1);
  }
  const Fd closer(opened);
  return opened >= 0;
}

Result<> list_events(ListRequest& request, const CanOpen& can_open, Sink& out, SessionListener& listener) {
  if (!request.cpu_type.empty() && request.sources.pmu("cpu_" + request.cpu_type) == nullptr)
    listener.warning(fmt::format("this machine has no '{}' cores", request.cpu_type));
  return EventLister(request, can_open, out, listener).list();
}

}  // namespace peregrine
