// list: every event this machine offers, one per line with its kind, as linux-perf prints it.
#include <cerrno>
#include <map>
#include <set>

#include "analysis/metric/machine_facts.h"
#include "analysis/metric/metric_set.h"
#include "base/fd.h"
#include "capture/perf_event/event_matrix.h"
#include "cmd/events/event_sources.h"
#include "cmd/events/metric_files.h"
#include "cmd/list/list_options.h"
#include "event/kind/catalogue.h"
#include "event/kind/generic_event.h"
#include "output/json/event_list_json.h"
#include "output/text/system/event_list.h"
#include "output/text_file.h"

namespace peregrine::cmd {

namespace {

constexpr EventKind kEveryKind[] = {
    EventKind::Hardware, EventKind::Software, EventKind::Tool,       EventKind::HardwareCache, EventKind::KernelPmu,
    EventKind::Named,    EventKind::Sensor,   EventKind::Descriptor, EventKind::Tracepoint,    EventKind::Sdt};

// An unprivileged user may see only user space: then that is tried too.
bool can_open(u32 type, u64 config) {
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

enum class Metrics { None, Names, Groups };

struct WordKinds {
  std::string_view word;
  std::vector<EventKind> kinds;
  Metrics metrics = Metrics::None;
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
      {"metric", {}, Metrics::Names},
      {"metrics", {}, Metrics::Names},
      {"metricgroup", {}, Metrics::Groups},
      {"metricgroups", {}, Metrics::Groups},
  };
}

class Lister {
 public:
  Lister(ListRequest& request, Invocation& call)
      : request_(request),
        call_(call),
        style_{request.describe, request.long_description, request.details},
        text_(style_, call.out),
        json_(call.out) {
    base_.deprecated = request.deprecated;
    base_.pmu = request.cpu_type.empty() ? request.unit : "cpu_" + request.cpu_type;
    base_.sdt_cache = call.config.buildid_directory();
  }

  void begin() {
    if (request_.json) json_.begin();
  }
  void end(bool everything) {
    if (request_.json) json_.end();
    if (request_.raw_dump && everything) call_.out.append('\n');
    tell_problems(request_.sources, call_.messages);
  }

  Result<> print(EventKind kind, const CatalogueFilter& filter) {
    if (!base_.pmu.empty() && kind != EventKind::KernelPmu && kind != EventKind::Named && kind != EventKind::Sensor)
      return {};
    const auto entries = catalogue(request_.sources, kind, filter, can_open);
    if (!entries) return std::unexpected(entries.error());
    for (const auto& entry : *entries) {
      if (request_.summary) {
        count(entry);
      } else if (request_.raw_dump) {
        if (kind != EventKind::Descriptor) call_.out.append(entry.name).append(' ');
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

  // Without tracefs there is still everything else: tell_refused() says so once.
  void print_what_is_there(EventKind kind, const CatalogueFilter& filter) {
    if (auto done = print(kind, filter); !done && !refused_) refused_ = std::move(done.error());
  }
  void tell_refused() {
    if (refused_ && !told_) call_.messages.note(refused_->message, refused_->hint);
    told_ = refused_.has_value();
  }

  void print_metrics(const std::string& part = {});
  void print_groups();
  std::vector<MetricDefinition> metrics();

  Result<> print_word(const std::string& word) {
    for (const auto& [name, kinds, metrics] : word_kinds()) {
      if (name != word) continue;
      for (const EventKind kind : kinds) PEREGRINE_TRY(print(kind, filter()));
      if (metrics == Metrics::Names) print_metrics();
      if (metrics == Metrics::Groups) print_groups();
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
        call_.messages.note(
            fmt::format("no SDT event has '{}' in its name", word),
            fmt::format("add the programs that have them: {} buildid-cache --add PROGRAM", call_.messages.program()));
      return {};
    }
    for (const EventKind kind : kEveryKind)
      if (kind != EventKind::Descriptor) print_what_is_there(kind, filter("*" + word + "*"));
    print_metrics(word);
    // "sched*" may mean a subsystem.
    if (printed_ == before) print_what_is_there(EventKind::Tracepoint, filter({}, word));
    // What cannot be read may have such an event.
    if (printed_ == before && refused_ && refused_->kind == ErrorKind::Denied) return std::unexpected(*refused_);
    tell_refused();
    note_no_match(before, word);
    return {};
  }

  void note_no_match(std::size_t before, const std::string& word) {
    if (printed_ != before || request_.raw_dump || request_.json) return;
    call_.messages.note(word.find(':') != std::string::npos ? fmt::format("no event matches '{}'", word)
                                                            : fmt::format("no event has '{}' in its name", word));
  }

  void print_summary() {
    for (const auto& [what, number] : counts_) call_.out.format("{:>8}  {}\n", number, what);
    if (!subsystems_.empty()) call_.out.append("\nTracepoints by subsystem:\n\n");
    for (const auto& [system, number] : subsystems_) call_.out.format("{:>8}  {}\n", number, system);
  }

 private:
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
      call_.messages.warning(format.error().message);
  }

  // "r2c4": what that code is called.
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
  Invocation& call_;
  EventListStyle style_;
  EventListText text_;
  EventListJson json_;
  CatalogueFilter base_;
  std::size_t printed_ = 0;
  std::optional<Error> refused_;  // the first
  bool told_ = false;
  std::vector<std::pair<std::string, std::size_t>> counts_;
  std::map<std::string, std::size_t> subsystems_;
};

std::string joined_by_semicolons(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ";"));
}

// Those of files, and of our own those whose events this machine has.
std::vector<MetricDefinition> Lister::metrics() {
  const MetricCatalogue catalogue = load_metrics(call_.config, call_.messages);
  const MetricFacts facts = machine_facts(request_.sources, {.system_wide = true, .chosen = {}});
  std::vector<MetricDefinition> found = catalogue.metrics();
  std::erase_if(found, [&](const MetricDefinition& metric) {
    EventList events;
    std::vector<std::string> warnings;
    return metric.origin == "built-in" &&
           !plan_metrics(metric.name, catalogue, {}, facts, request_.sources, events, warnings);
  });
  return found;
}

void Lister::print_metrics(const std::string& part) {
  bool first = true;
  for (const auto& metric : metrics()) {
    if (metric.name.find(part) == std::string::npos) continue;
    ++printed_;
    if (request_.summary) continue;
    const auto& description =
        request_.long_description && !metric.long_description.empty() ? metric.long_description : metric.description;
    if (request_.raw_dump) {
      call_.out.append(metric.name).append(' ');
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

void Lister::print_groups() {
  std::set<std::string> groups;
  for (const MetricDefinition& metric : metrics()) groups.insert(metric.groups.begin(), metric.groups.end());
  if (!request_.raw_dump && !request_.json) text_.heading("Metric Groups");
  for (const std::string& group : groups) {
    ++printed_;
    if (request_.raw_dump) {
      call_.out.append(group).append(' ');
    } else if (request_.json) {
      const std::pair<std::string_view, std::string> members[] = {{"MetricGroup", group}};
      json_.object(members);
    } else {
      call_.out.append(group).append('\n');
    }
  }
}

Result<int> list_to(ListRequest& request, Invocation& call) {
  if (!request.attr_of.empty()) return list_attrs(request.attr_of, request, call);
  if (!request.cpu_type.empty() && request.sources.pmu("cpu_" + request.cpu_type) == nullptr)
    call.messages.warning(fmt::format("this machine has no cores of the kind '{}'", request.cpu_type));
  Lister lister(request, call);
  lister.begin();
  if (call.words.empty()) {
    for (const EventKind kind : kEveryKind) lister.print_what_is_there(kind, lister.filter());
    lister.tell_refused();
    if (request.unit.empty() && request.cpu_type.empty() && !request.summary) lister.print_metrics();
  }
  for (const auto& word : call.words) PEREGRINE_TRY(lister.print_word(word));
  if (request.summary) lister.print_summary();
  lister.end(call.words.empty());
  return 0;
}

}  // namespace

Result<int> run_list(ListRequest& request, Invocation& call) {
  if (request.output.empty()) return list_to(request, call);
  Result<int> listed = 0;
  PEREGRINE_TRY(write_whole_file(request.output, call.out, [&](Sink& out) {
    Invocation to_file = call.with_output(out);
    listed = list_to(request, to_file);
  }));
  return listed;
}

}  // namespace peregrine::cmd
