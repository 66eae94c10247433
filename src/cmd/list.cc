// list: every event this machine offers, one per line with its kind, as linux-perf prints it.
#include <cerrno>

#include "base/fd.h"
#include "capture/event_matrix.h"
#include "cmd/command_table.h"
#include "event/catalogue.h"

namespace peregrine::cmd {

namespace {

struct ListOptions {
  bool describe = true;
  bool long_description = false;
  bool deprecated = false;
  bool details = false;
  bool debug = false;
  bool raw_dump = false;
  std::string cpu_type;
};

constexpr Option kOptions[] = {
    {.name = "desc",
     .letter = 'd',
     .help = "say what an event counts, where that is known (--no-desc: names only)",
     .store = set<&ListOptions::describe>},
    {.name = "long-desc", .letter = 'v', .help = "say it at length", .store = set<&ListOptions::long_description>},
    {.name = "cputype",
     .value = Value::Required,
     .metavar = "hybrid cpu type",
     .help = "on processors with several kinds of core: events of this kind only",
     .store = set<&ListOptions::cpu_type>},
    {.name = "debug", .help = "say where events are looked for", .store = set<&ListOptions::debug>},
    {.name = "deprecated", .help = "also events that have a better name today", .store = set<&ListOptions::deprecated>},
    {.name = "details", .help = "also what an event's name stands for", .store = set<&ListOptions::details>},
    {.name = "raw-dump",
     .help = "names only, in one line",
     .store = set<&ListOptions::raw_dump>,
     .shown = Shown::Hidden},
};
constexpr std::string_view kUsage[] = {"[<options>] [hw|sw|cache|tracepoint|pmu|sdt|metric|metricgroup|event_glob]"};

constexpr EventKind kEveryKind[] = {EventKind::Hardware,      EventKind::Software,  EventKind::Tool,
                                    EventKind::HardwareCache, EventKind::KernelPmu, EventKind::Descriptor,
                                    EventKind::Tracepoint};

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

struct WordKinds {
  std::string_view word;
  std::initializer_list<EventKind> kinds;
};

const WordKinds kWords[] = {
    {"tracepoint", {EventKind::Tracepoint}},
    {"hw", {EventKind::Hardware}},
    {"hardware", {EventKind::Hardware}},
    {"sw", {EventKind::Software, EventKind::Tool}},
    {"software", {EventKind::Software, EventKind::Tool}},
    {"cache", {EventKind::HardwareCache}},
    {"hwcache", {EventKind::HardwareCache}},
    {"pmu", {EventKind::KernelPmu}},
    // What these name is learned from files that are not there yet: a build-id cache with SDT notes, metric tables.
    {"sdt", {}},
    {"metric", {}},
    {"metrics", {}},
    {"metricgroup", {}},
    {"metricgroups", {}},
};

class Lister {
 public:
  Lister(const ListOptions& options, Invocation& call) : options_(options), call_(call) {}

  Result<> print(EventKind kind, const CatalogueFilter& filter = {}) {
    const auto entries = catalogue(sources_, kind, filter, can_open);
    if (!entries) return std::unexpected(entries.error());
    for (const auto& entry : *entries) {
      if (options_.raw_dump) {
        if (kind != EventKind::Descriptor) call_.out.append(entry.name).append(' ');
      } else {
        call_.out.append("  ").left(entry.shown, 50).append(" [").append(entry.label).append("]\n");
      }
    }
    printed_ += entries->size();
    return {};
  }

  // Without tracefs there is still everything else: say so once.
  void print_or_note(EventKind kind, const CatalogueFilter& filter = {}) {
    if (auto done = print(kind, filter); !done && !noted_) {
      call_.messages.note(done.error().message, done.error().hint);
      noted_ = true;
    }
  }

  Result<> print_word(const std::string& word) {
    for (const auto& [name, kinds] : kWords) {
      if (name != word) continue;
      for (const EventKind kind : kinds) PEREGRINE_TRY(print(kind));
      return {};
    }
    if (const auto colon = word.find(':'); colon != std::string::npos)
      return print(EventKind::Tracepoint, {word.substr(colon + 1), word.substr(0, colon)});
    const std::size_t before = printed_;
    for (const EventKind kind : kEveryKind)
      if (kind != EventKind::Descriptor) print_or_note(kind, {"*" + word + "*", ""});
    if (printed_ == before && !options_.raw_dump)
      call_.messages.note(fmt::format("no event has '{}' in its name", word));
    return {};
  }

 private:
  const ListOptions& options_;
  Invocation& call_;
  EventSources sources_;
  std::size_t printed_ = 0;
  bool noted_ = false;
};

Result<int> list(ListOptions& options, Invocation& call) {
  Lister lister(options, call);
  if (call.words.empty())
    for (const EventKind kind : kEveryKind) lister.print_or_note(kind);
  for (const auto& word : call.words) PEREGRINE_TRY(lister.print_word(word));
  if (options.raw_dump && call.words.empty()) call.out.append('\n');
  return 0;
}

constexpr std::string_view kExamples[] = {
    "perf list|everything",
    "perf list sw|the events of the kernel that need no hardware",
    "perf list 'sched:*'|the tracepoints of the scheduler",
    "perf list fault|everything with \"fault\" in its name",
};

}  // namespace

constinit const Command kList{
    .name = "list",
    .summary = "Show the events that -e takes here",
    .usage = kUsage,
    .options = kOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Prints every event that -e of record, stat and top takes on this machine, with its kind. "
        "Hardware events appear only where the processor's counters can be opened.",
    .examples = kExamples,
    .run = entry<ListOptions, list>};

}  // namespace peregrine::cmd
