#include "output/profile/firefox.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/profile/tracks.h"
#include "base/types.h"
#include "output/json/json_document.h"

namespace peregrine {
namespace {

// Indices into kCategories.
enum Category : u32 { kOther, kUser, kKernel, kJit };

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCategories = {
    {{"Other", "grey"}, {"User", "yellow"}, {"Kernel", "orange"}, {"JIT", "green"}}};  // name, colour

Category category_of(const ProfileFrame& frame) {
  if (frame.kernel) return kKernel;
  if (frame.jit) return kJit;
  return frame.symbol.valid() ? kUser : kOther;
}

// The tables of one thread. They contain only what its samples refer to, numbered in order of first use.
struct Tables {
  struct Stack {
    std::optional<u32> prefix;
    u32 frame = 0;
  };
  std::vector<Stack> stacks;
  std::unordered_map<u32, u32> stack_of;  // by ChainId
  std::vector<u32> frames;                // indices of profile frames
  std::unordered_map<u32, u32> frame_of;
  std::vector<std::string> strings;
  std::map<std::string, u32, std::less<>> string_of;
  std::vector<u32> libraries;  // profile dsos; one resource each
  std::unordered_map<u32, u32> resource_of;

  u32 string(std::string_view text) {
    const auto at = string_of.find(text);
    if (at != string_of.end()) return at->second;
    strings.emplace_back(text);
    return string_of.emplace(text, static_cast<u32>(strings.size() - 1)).first->second;
  }
};

class FirefoxPrinter {
 public:
  FirefoxPrinter(Sink& out, const Profile& profile, bool by_count)
      : json_(out), profile_(profile), by_count_(by_count), tracks_(tracks_of(profile)) {}
  void print();

 private:
  void print_meta();
  void print_library(const ProfileDso& dso);
  void print_thread(const Track& track);
  Tables make_tables(const Track& track) const;
  void add_stack(Tables& tables, ChainId stack) const;
  void print_samples(const Track& track, const Tables& tables);
  void print_markers();
  void print_stacks(const Tables& tables);
  void print_frames(const Tables& tables);
  void print_functions(const Tables& tables);
  void print_resources(const Tables& tables);
  // Writes "name":[…]; `value` writes the element at an index.
  template <class Value>
  void column(std::string_view name, std::size_t size, Value value) {
    json_.array(name, [&] {
      for (std::size_t at = 0; at < size; ++at) {
        if (at % 64 == 0 && at > 0) json_.line();
        value(at);
      }
    });
  }
  template <class Same>
  void same(std::string_view name, std::size_t size, Same word) {
    column(name, size, [&](std::size_t) { json_.value(word); });
  }
  void empty(std::string_view name) {
    json_.array(name, [] {});
  }
  void value_or_null(std::optional<u32> value) { value ? json_.value(*value) : json_.value(nullptr); }
  void milliseconds(u64 ns) { json_.next().decimal(ns / 1'000'000).append('.').decimal(ns % 1'000'000, 6, '0'); }
  u64 origin() const { return profile_.samples.empty() ? 0 : profile_.samples.front().time; }

  JsonDocument json_;
  const Profile& profile_;
  const bool by_count_;
  const std::vector<Track> tracks_;
};

void FirefoxPrinter::print_meta() {
  u64 interval = 0;
  if (!tracks_.empty()) {
    const ProfileEvent& event = profile_.events[tracks_[0].event];
    interval = event.nanoseconds ? event.period / event.samples : usual_interval(profile_, tracks_, tracks_[0].event);
  }
  json_.key("interval");
  milliseconds(interval);
  json_.member("startTime", 0).member("processType", 0).member("stackwalk", 1).member("debug", false);
  json_.member("version", 29).member("preprocessedProfileVersion", 48);
  for (const std::string_view fact : {"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType",
                                      "doesNotUseFrameImplementation", "sourceCodeIsNotOnSearchfox"})
    json_.member(fact, true);
  empty("markerSchema");
  json_.object("extensions", [&] {
    json_.member("length", 0);
    for (const std::string_view name : {"id", "name", "baseURL"}) empty(name);
  });
  json_.object("sampleUnits",
               [&] { json_.member("time", "ms").member("eventDelay", "ms").member("threadCPUDelta", "ns"); });
  json_.line().array("categories", [&] {
    for (const auto& [name, color] : kCategories)
      json_.object([&] {
        json_.member("name", name).member("color", color).array("subcategories", [&] { json_.value("Other"); });
      });
  });
  const std::string_view program = std::string_view(profile_.command).substr(0, 200);
  json_.line().member("product", program).member("importedFrom", profile_.creator).member("platform", "Linux");
}

void FirefoxPrinter::print_library(const ProfileDso& dso) {
  json_.line().object([&] {
    json_.member("arch", "").member("name", dso.name).member("path", dso.path);
    json_.member("debugName", dso.name).member("debugPath", dso.path).member("breakpadId", dso.build_id);
    dso.build_id.empty() ? json_.member("codeId", nullptr) : json_.member("codeId", dso.build_id);
  });
}

void FirefoxPrinter::add_stack(Tables& tables, ChainId stack) const {
  std::vector<ChainId> fresh;
  for (ChainId at = stack; at != kRootChain && !tables.stack_of.contains(at.value); at = profile_.stacks.parent(at))
    fresh.push_back(at);
  for (std::size_t i = fresh.size(); i-- > 0;) {
    const ChainId at = fresh[i], parent = profile_.stacks.parent(at);
    const u32 frame = profile_.stacks.frame(at).value;
    const auto [place, is_new] = tables.frame_of.try_emplace(frame, static_cast<u32>(tables.frames.size()));
    if (is_new) tables.frames.push_back(frame);
    Tables::Stack added{.prefix = std::nullopt, .frame = place->second};
    if (parent != kRootChain) added.prefix = tables.stack_of.at(parent.value);
    tables.stack_of.emplace(at.value, static_cast<u32>(tables.stacks.size()));
    tables.stacks.push_back(added);
  }
}

Tables FirefoxPrinter::make_tables(const Track& track) const {
  Tables tables;
  for (const u32 at : track.samples) add_stack(tables, profile_.samples[at].stack);
  for (const u32 at : tables.frames) {
    const ProfileFrame& frame = profile_.frames[at];
    tables.string(frame_name(profile_, frame));
    if (frame.file.valid()) tables.string(profile_.text(frame.file));
    if (tables.resource_of.try_emplace(frame.dso, static_cast<u32>(tables.libraries.size())).second) {
      tables.libraries.push_back(frame.dso);
      tables.string(profile_.dsos[frame.dso].name);
    }
  }
  return tables;
}

void FirefoxPrinter::print_samples(const Track& track, const Tables& tables) {
  const std::size_t size = track.samples.size();
  const auto sample = [&](std::size_t at) -> const ProfileSample& { return profile_.samples[track.samples[at]]; };
  const bool clock = profile_.events[track.event].nanoseconds && !by_count_;
  json_.line().object("samples", [&] {
    column("stack", size, [&](std::size_t at) {
      const ChainId stack = sample(at).stack;
      value_or_null(stack == kRootChain ? std::nullopt : std::optional(tables.stack_of.at(stack.value)));
    });
    column("time", size, [&](std::size_t at) { milliseconds(sample(at).time - origin()); });
    column("weight", size, [&](std::size_t at) {
      if (clock)
        milliseconds(sample(at).period);
      else
        json_.value(by_count_ ? u64{sample(at).samples} : sample(at).period);
    });
    json_.member("weightType", clock ? "tracing-ms" : "samples").member("length", size);
  });
}

void FirefoxPrinter::print_markers() {
  json_.line().object("markers", [&] {
    for (const std::string_view name : {"data", "name", "startTime", "endTime", "phase", "category"}) empty(name);
    json_.member("length", 0);
  });
  json_.line().object("nativeSymbols", [&] {
    for (const std::string_view name : {"libIndex", "address", "name", "functionSize"}) empty(name);
    json_.member("length", 0);
  });
}

void FirefoxPrinter::print_stacks(const Tables& tables) {
  const std::size_t size = tables.stacks.size();
  json_.line().object("stackTable", [&] {
    column("prefix", size, [&](std::size_t at) { value_or_null(tables.stacks[at].prefix); });
    column("frame", size, [&](std::size_t at) { json_.value(tables.stacks[at].frame); });
    column("category", size, [&](std::size_t at) {
      json_.value(u32{category_of(profile_.frames[tables.frames[tables.stacks[at].frame]])});
    });
    same("subcategory", size, 0);
    json_.member("length", size);
  });
}

void FirefoxPrinter::print_frames(const Tables& tables) {
  const std::size_t size = tables.frames.size();
  const auto frame = [&](std::size_t at) -> const ProfileFrame& { return profile_.frames[tables.frames[at]]; };
  json_.line().object("frameTable", [&] {
    same("address", size, -1);
    column("inlineDepth", size, [&](std::size_t at) { json_.value(frame(at).inlined ? 1 : 0); });
    column("category", size, [&](std::size_t at) { json_.value(u32{category_of(frame(at))}); });
    same("subcategory", size, 0);
    column("func", size, [&](std::size_t at) { json_.value(at); });
    for (const std::string_view unknown : {"nativeSymbol", "innerWindowID", "implementation", "column"})
      same(unknown, size, nullptr);
    column("line", size,
           [&](std::size_t at) { value_or_null(frame(at).line == 0 ? std::nullopt : std::optional(frame(at).line)); });
    json_.member("length", size);
  });
}

void FirefoxPrinter::print_functions(const Tables& tables) {
  const std::size_t size = tables.frames.size();
  const auto frame = [&](std::size_t at) -> const ProfileFrame& { return profile_.frames[tables.frames[at]]; };
  const auto string = [&](std::string_view text) { return tables.string_of.find(text)->second; };
  json_.line().object("funcTable", [&] {
    column("name", size, [&](std::size_t at) { json_.value(string(frame_name(profile_, frame(at)))); });
    same("isJS", size, false);
    same("relevantForJS", size, false);
    column("resource", size, [&](std::size_t at) { json_.value(tables.resource_of.at(frame(at).dso)); });
    column("fileName", size, [&](std::size_t at) {
      value_or_null(frame(at).file.valid() ? std::optional(string(profile_.text(frame(at).file))) : std::nullopt);
    });
    same("lineNumber", size, nullptr);
    same("columnNumber", size, nullptr);
    json_.member("length", size);
  });
}

void FirefoxPrinter::print_resources(const Tables& tables) {
  const std::size_t size = tables.libraries.size();
  json_.line().object("resourceTable", [&] {
    column("lib", size, [&](std::size_t at) { json_.value(tables.libraries[at]); });
    column("name", size, [&](std::size_t at) {
      json_.value(tables.string_of.find(profile_.dsos[tables.libraries[at]].name)->second);
    });
    same("host", size, nullptr);
    same("type", size, 1);  // a library
    json_.member("length", size);
  });
}

void FirefoxPrinter::print_thread(const Track& track) {
  const ProfileThread& thread = profile_.threads[track.thread];
  const std::string comm(profile_.text(thread.comm));
  const bool several = tracks_.front().event != tracks_.back().event;
  const std::string event = several ? fmt::format(" ({})", profile_.events[track.event].name) : "";
  json_.member("name", comm + event).member("processName", comm);
  json_.member("pid", fmt::to_string(static_cast<i32>(thread.pid))).member("tid", static_cast<i32>(thread.tid));
  json_.member("isMainThread", thread.pid == thread.tid).member("processType", "default");
  json_.member("processStartupTime", 0).member("processShutdownTime", nullptr).key("registerTime");
  milliseconds(profile_.samples[track.samples.front()].time - origin());
  json_.member("unregisterTime", nullptr);
  empty("pausedRanges");
  print_markers();
  const Tables tables = make_tables(track);
  print_samples(track, tables);
  print_stacks(tables);
  print_frames(tables);
  print_functions(tables);
  print_resources(tables);
  column("stringArray", tables.strings.size(), [&](std::size_t at) { json_.line().value(tables.strings[at]); });
}

void FirefoxPrinter::print() {
  json_.object([&] {
    json_.object("meta", [&] { print_meta(); });
    json_.line().array("libs", [&] {
      for (const ProfileDso& dso : profile_.dsos) print_library(dso);
    });
    json_.line();
    for (const std::string_view name : {"pages", "counters", "profilerOverhead"}) empty(name);
    json_.line().array("threads", [&] {
      for (const Track& track : tracks_) json_.line().object([&] { print_thread(track); });
    });
  });
}

}  // namespace

void print_firefox_profile(Sink& out, const Profile& profile, bool by_count) {
  FirefoxPrinter(out, profile, by_count).print();
  out.append('\n');
}

}  // namespace peregrine
