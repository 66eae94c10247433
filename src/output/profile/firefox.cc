#include "output/profile/firefox.h"

#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/profile/tracks.h"
#include "output/json/json_text.h"

namespace peregrine {
namespace {

// Indices into the list of categories that print_meta() writes.
enum Category : u32 { kOther, kUser, kKernel, kJit };

Category category_of(const ProfileFrame& frame) {
  if (frame.kernel) return kKernel;
  if (frame.jit) return kJit;
  return frame.symbol.valid() ? kUser : kOther;
}

// The tables of one thread. They hold only what its samples refer to, numbered in order of first use.
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
      : out_(out), profile_(profile), by_count_(by_count), tracks_(tracks_of(profile)) {}
  void print();

 private:
  void print_meta();
  void print_libraries();
  void print_thread(const Track& track);
  Tables make_tables(const Track& track) const;
  void add_stack(Tables& tables, ChainId stack) const;
  void print_samples(const Track& track, const Tables& tables);
  void print_stacks(const Tables& tables);
  void print_frames(const Tables& tables);
  void print_functions(const Tables& tables);
  void print_resources(const Tables& tables);
  void print_strings(const Tables& tables);
  // Writes "name":[a,b,…],
  template <class Value>
  void column(std::string_view name, std::size_t size, Value value) {
    out_.append('"').append(name).append("\":[");
    for (std::size_t at = 0; at < size; ++at) {
      if (at > 0) out_.append(at % 64 == 0 ? ",\n" : ",");
      value(at);
    }
    out_.append("],");
  }
  void same(std::string_view name, std::size_t size, std::string_view word) {
    column(name, size, [&](std::size_t) { out_.append(word); });
  }
  void milliseconds(u64 ns) { out_.decimal(ns / 1'000'000).append('.').decimal(ns % 1'000'000, 6, '0'); }
  u64 origin() const { return profile_.samples.empty() ? 0 : profile_.samples.front().time; }

  Sink& out_;
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
  out_.append("{\"meta\":{\"interval\":");
  milliseconds(interval);
  out_.append(
      ",\"startTime\":0,\"processType\":0,\"stackwalk\":1,\"debug\":false,\"version\":29,"
      "\"preprocessedProfileVersion\":48,\"symbolicated\":true,\"symbolicationNotSupported\":true,"
      "\"usesOnlyOneStackType\":true,\"doesNotUseFrameImplementation\":true,\"sourceCodeIsNotOnSearchfox\":true,"
      "\"markerSchema\":[],\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},"
      "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n\"categories\":["
      "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
      "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
      "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
      "{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],\n");
  const std::string_view program = std::string_view(profile_.command).substr(0, 200);
  out_.format("\"product\":\"{}\",\"importedFrom\":\"{}\",\"platform\":\"Linux\"}},\n", json_escaped(program),
              json_escaped(profile_.creator));
}

void FirefoxPrinter::print_libraries() {
  out_.append("\"libs\":[");
  for (std::size_t at = 0; at < profile_.dsos.size(); ++at) {
    const ProfileDso& dso = profile_.dsos[at];
    const std::string name = json_escaped(dso.name), path = json_escaped(dso.path);
    out_.format("{}\n{{\"arch\":\"\",\"name\":\"{}\",\"path\":\"{}\",\"debugName\":\"{}\",\"debugPath\":\"{}\",",
                at == 0 ? "" : ",", name, path, name, path);
    out_.format("\"breakpadId\":\"{}\",\"codeId\":{}}}", dso.build_id,
                dso.build_id.empty() ? "null" : fmt::format("\"{}\"", dso.build_id));
  }
  out_.append("],\n\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n");
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
  out_.append("\"samples\":{");
  column("stack", size, [&](std::size_t at) {
    const ChainId stack = sample(at).stack;
    if (stack == kRootChain)
      out_.append("null");
    else
      out_.decimal(tables.stack_of.at(stack.value));
  });
  column("time", size, [&](std::size_t at) { milliseconds(sample(at).time - origin()); });
  column("weight", size, [&](std::size_t at) {
    if (clock)
      milliseconds(sample(at).period);
    else
      out_.decimal(by_count_ ? sample(at).samples : sample(at).period);
  });
  out_.format("\"weightType\":\"{}\",\"length\":{}}},\n", clock ? "tracing-ms" : "samples", size);
}

void FirefoxPrinter::print_stacks(const Tables& tables) {
  const std::size_t size = tables.stacks.size();
  out_.append("\"stackTable\":{");
  column("prefix", size, [&](std::size_t at) {
    if (tables.stacks[at].prefix)
      out_.decimal(*tables.stacks[at].prefix);
    else
      out_.append("null");
  });
  column("frame", size, [&](std::size_t at) { out_.decimal(tables.stacks[at].frame); });
  column("category", size,
         [&](std::size_t at) { out_.decimal(category_of(profile_.frames[tables.frames[tables.stacks[at].frame]])); });
  same("subcategory", size, "0");
  out_.format("\"length\":{}}},\n", size);
}

void FirefoxPrinter::print_frames(const Tables& tables) {
  const std::size_t size = tables.frames.size();
  out_.append("\"frameTable\":{");
  same("address", size, "-1");
  column("inlineDepth", size,
         [&](std::size_t at) { out_.decimal(profile_.frames[tables.frames[at]].inlined ? 1 : 0); });
  column("category", size, [&](std::size_t at) { out_.decimal(category_of(profile_.frames[tables.frames[at]])); });
  same("subcategory", size, "0");
  column("func", size, [&](std::size_t at) { out_.decimal(at); });
  for (const std::string_view empty : {"nativeSymbol", "innerWindowID", "implementation", "column"})
    same(empty, size, "null");
  column("line", size, [&](std::size_t at) {
    const u32 line = profile_.frames[tables.frames[at]].line;
    if (line == 0)
      out_.append("null");
    else
      out_.decimal(line);
  });
  out_.format("\"length\":{}}},\n", size);
}

void FirefoxPrinter::print_functions(const Tables& tables) {
  const std::size_t size = tables.frames.size();
  const auto frame = [&](std::size_t at) -> const ProfileFrame& { return profile_.frames[tables.frames[at]]; };
  out_.append("\"funcTable\":{");
  column("name", size,
         [&](std::size_t at) { out_.decimal(tables.string_of.find(frame_name(profile_, frame(at)))->second); });
  same("isJS", size, "false");
  same("relevantForJS", size, "false");
  column("resource", size, [&](std::size_t at) { out_.decimal(tables.resource_of.at(frame(at).dso)); });
  column("fileName", size, [&](std::size_t at) {
    if (frame(at).file.valid())
      out_.decimal(tables.string_of.find(profile_.text(frame(at).file))->second);
    else
      out_.append("null");
  });
  same("lineNumber", size, "null");
  same("columnNumber", size, "null");
  out_.format("\"length\":{}}},\n", size);
}

void FirefoxPrinter::print_resources(const Tables& tables) {
  const std::size_t size = tables.libraries.size();
  out_.append("\"resourceTable\":{");
  column("lib", size, [&](std::size_t at) { out_.decimal(tables.libraries[at]); });
  column("name", size, [&](std::size_t at) {
    out_.decimal(tables.string_of.find(profile_.dsos[tables.libraries[at]].name)->second);
  });
  same("host", size, "null");
  same("type", size, "1");  // a library
  out_.format("\"length\":{}}},\n", size);
}

void FirefoxPrinter::print_strings(const Tables& tables) {
  out_.append("\"stringArray\":[");
  for (std::size_t at = 0; at < tables.strings.size(); ++at)
    out_.append(at == 0 ? "\"" : ",\n\"").append(json_escaped(tables.strings[at])).append('"');
  out_.append("]}");
}

void FirefoxPrinter::print_thread(const Track& track) {
  const ProfileThread& thread = profile_.threads[track.thread];
  const std::string comm = json_escaped(profile_.text(thread.comm));
  const bool several = tracks_.front().event != tracks_.back().event;
  const std::string event = several ? fmt::format(" ({})", json_escaped(profile_.events[track.event].name)) : "";
  out_.format("{{\"name\":\"{}{}\",\"processName\":\"{}\",\"pid\":\"{}\",\"tid\":{},\"isMainThread\":{},", comm, event,
              comm, static_cast<i32>(thread.pid), static_cast<i32>(thread.tid), thread.pid == thread.tid);
  out_.append("\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":");
  milliseconds(profile_.samples[track.samples.front()].time - origin());
  out_.append(
      ",\"unregisterTime\":null,\"pausedRanges\":[],\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],"
      "\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
      "\"name\":[],\"functionSize\":[],\"length\":0},\n");
  const Tables tables = make_tables(track);
  print_samples(track, tables);
  print_stacks(tables);
  print_frames(tables);
  print_functions(tables);
  print_resources(tables);
  print_strings(tables);
}

void FirefoxPrinter::print() {
  print_meta();
  print_libraries();
  out_.append("\"threads\":[");
  for (std::size_t at = 0; at < tracks_.size(); ++at) {
    out_.append(at == 0 ? "\n" : ",\n");
    print_thread(tracks_[at]);
  }
  out_.append("]}\n");
}

}  // namespace

void print_firefox_profile(Sink& out, const Profile& profile, bool by_count) {
  FirefoxPrinter(out, profile, by_count).print();
}

}  // namespace peregrine
