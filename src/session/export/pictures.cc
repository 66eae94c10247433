#include "session/export/pictures.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/header.h"
#include "event/config/off_cpu_event.h"
#include "output/html/profile_page.h"
#include "output/svg/flame_color.h"
#include "output/svg/flame_graph.h"
#include "output/text/dump/header_text.h"
#include "output/text/format/grouped_number.h"
#include "output/text_file.h"
#include "session/export/profile_export.h"
#include "session/export/recorded_facts.h"

namespace peregrine {

namespace {

constexpr std::string_view kTitle = "Flame Graph";
constexpr u32 kSlots = 1000;           // of the time line
constexpr u32 kHeatSlots = 60'000;     // of the heat map
constexpr u64 kHeatStep = 20'000'000;  // ns

// The smallest of 1, 2, 5, 10, 20, … that is at least `least`.
u64 round_step(u64 least) {
  for (u64 power = 1; power <= 1'000'000'000'000'000; power *= 10)
    for (const u64 digit : {1u, 2u, 5u})
      if (digit * power >= least) return digit * power;
  return least;
}

u64 quantum_of(const PictureRequest& request, const data::Header& header) {
  const auto& times = header.features.sample_times;
  const u64 span = times && times->last > times->first ? times->last - times->first : 0;
  if (!request.heat_map.empty()) return round_step(std::max(kHeatStep, span / kHeatSlots));
  return span == 0 ? 1'000'000 : round_step(std::max<u64>(span / kSlots, 1));
}

// The drawn data: a series for each event with samples, and that event's index in the evlist.
struct Drawn {
  StackProfile profile;
  std::vector<u32> events;
};

Drawn draw_pictures(const PictureRequest& request, Pictured& pictured) {
  Drawn drawn;
  StackProfileMaker maker;
  StackProfileMaker::Recording recording{pictured.hists, pictured.naming};
  for (u32 event = 0; event < pictured.hists.event_count(); ++event) {
    if (pictured.hists.totals(event).shown_samples == 0) continue;
    StackSource source{.name = event < pictured.names.size() ? pictured.names[event] : "nothing", .event = event};
    if (request.timed()) source.time_column = 2;
    if (request.page()) source.thread_column = 3;
    maker.add(recording, source);
    drawn.events.push_back(event);
  }
  drawn.profile =
      maker.finish(request.timed() ? pictured.time_quantum : 0, request.heat_map.empty() ? kSlots * 2 : kHeatSlots);
  return drawn;
}

// "flame.svg" → "flame.cache-misses.svg". The name comes from the recording, so it must not select a folder.
std::string path_of_event(const std::string& path, std::string event) {
  const auto odd = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-'; };
  std::replace_if(event.begin(), event.end(), odd, '_');
  const std::size_t slash = path.rfind('/') + 1;
  const std::size_t dot = std::min(path.rfind('.'), path.size());
  const std::size_t end = dot > slash ? dot : path.size();
  return fmt::format("{}.{}{}", path.substr(0, end), event, path.substr(end));
}

// "page.html (2,199 samples)"
std::string wrote(const std::string& path, u64 samples, const std::string& of) {
  return fmt::format("wrote {} ({}{})", path == "-" ? "to standard output" : path, grouped_count(samples, "sample"),
                     of);
}

Result<> write_svg(const PictureRequest& request, const Pictured& pictured, const Drawn& drawn, std::size_t number,
                   const std::string& path, const PictureOutput& output) {
  const StackSeries& series = drawn.profile.series[number];
  FlameText text{.title = request.title.empty() ? std::string(kTitle) : request.title,
                 .subtitle = recorded_command(pictured.reader),
                 .inverted = request.inverted,
                 .colors = flame_colors(request.colors).value_or(FlameColors::Kind)};
  const u64 samples = series.samples();
  const FlameTree tree = make_flame_tree(
      drawn.profile, {.series = static_cast<u32>(number), .reversed = request.reversed, .chart = request.chart});
  text.unit = std::string(period_unit(series.name));
  text.subtitle +=
      fmt::format("{}{} of {}", text.subtitle.empty() ? "" : " — ", grouped_count(samples, "sample"), series.name);
  PEREGRINE_TRY(write_whole_file(path, output.out, [&](Sink& out) { print_flame_graph(out, tree, text); }));
  output.listener.note(wrote(path, samples, drawn.events.size() > 1 ? " of " + series.name : ""));
  return {};
}

// Writes the first event's picture to the requested path, and the others next to it.
Result<> write_svgs(const PictureRequest& request, const Pictured& pictured, const Drawn& drawn,
                    const PictureOutput& output) {
  const std::string& path = request.flame_graph;
  PEREGRINE_TRY(write_svg(request, pictured, drawn, 0, path, output));
  struct stat at = {};
  const bool is_file = path != "-" && ::stat(path.c_str(), &at) == 0 && S_ISREG(at.st_mode);
  std::unordered_set<std::string> written{path};
  std::vector<std::string_view> left_out;
  for (std::size_t number = 1; number < drawn.events.size(); ++number) {
    const std::string& event = drawn.profile.series[number].name;
    std::string beside = path_of_event(path, event);
    for (unsigned again = 2; !written.insert(beside).second; ++again)
      beside = path_of_event(path, fmt::format("{}.{}", event, again));
    if (is_file)
      PEREGRINE_TRY(write_svg(request, pictured, drawn, number, beside, output));
    else
      left_out.push_back(event);
  }
  if (!left_out.empty())
    output.listener.note(
        fmt::format("it shows only {}, not {}", drawn.profile.series[0].name, fmt::join(left_out, ", ")),
        "write to a file to get one file per event");
  return {};
}

u64 span_of(const ReplayAccount& account) {
  return account.last_time > account.first_time ? account.last_time - account.first_time : 0;
}

RecordingFacts facts_of(const Pictured& pictured) {
  const ReplayAccount& account = pictured.account;
  RecordingFacts facts = recorded_facts(pictured.reader);
  const auto add = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) facts.emplace_back(label, text);
  };
  if (const u64 span = span_of(account); span != 0)
    add("Time from first to last sample", fmt::format("{:.3f} s", static_cast<double>(span) / 1e9));
  const auto add_count = [&](std::string_view label, u64 count) { add(label, grouped_number(count)); };
  add_count("Records read", pictured.reader.account().records);
  add_count("Samples shown", account.samples);
  if (account.filtered != 0) add_count("Samples excluded by options", account.filtered);
  add_count("Lost samples", account.lost_samples);
  add_count("Lost records", account.lost_events);
  add("Stacks", pictured.advice);
  add("Throttled", counted(account.throttled, "time"));
  return facts;
}

PageText page_text(const PictureRequest& request, const Pictured& pictured, const Drawn& drawn) {
  PageText text{.title = request.title, .subtitle = recorded_command(pictured.reader), .made_by = pictured.creator};
  u64 samples = 0;
  for (const StackSeries& series : drawn.profile.series) {
    text.units.push_back(std::string(period_unit(series.name)));
    samples += series.samples();
  }
  if (text.title.empty()) text.title = grouped_count(samples, "sample") + on_recorded_host(pictured.reader);
  text.facts = facts_of(pictured);
  Sink header;
  print_header(pictured.reader.header(), pictured.reader.evlist(), false, header);
  text.header = header.take();
  text.losses = pictured.losses;
  text.span = span_of(pictured.account);
  return text;
}

Result<> write_page(const PictureRequest& request, Pictured& pictured, Drawn& drawn, const PictureOutput& output) {
  u64 samples = 0;
  for (const StackSeries& series : drawn.profile.series) samples += series.samples();
  PageText text = page_text(request, pictured, drawn);
  text.narrow = fit_profile(drawn.profile, {});
  const StackProfile& profile = drawn.profile;
  const Lanes lanes = pictured.sinks.lanes->lanes(
      pictured.machine,
      {.events = drawn.events, .start = profile.start, .slot_length = profile.slot_length, .slots = profile.slots});
  const std::shared_future<PackedText> code = pictured.code.share();
  for (const std::string& path : {request.html, request.heat_map}) {
    if (path.empty()) continue;
    text.heat_map_first = path == request.heat_map;
    PEREGRINE_TRY(write_whole_file(path, output.out, [&](Sink& out) {
      print_profile_page(out, {profile, &lanes, [&]() -> const PackedText& { return code.get(); }}, text);
    }));
    output.listener.note(wrote(path, samples, ""));
  }
  return {};
}

}  // namespace

Result<> check_pictures(const PictureRequest& request) {
  PEREGRINE_TRY(check_picture_files(request));
  if (flame_colors(request.colors)) return {};
  return fail(ErrorKind::Usage, "invalid --colors '{}': must be {}", request.colors, kFlameColorWords);
}

void request_pictures(const PictureRequest& pictures, const data::Header& header, const std::vector<std::string>& names,
                      PageSinks& sinks, CollectRequest& request) {
  request.keys = {SortKey::Comm};
  if (pictures.timed()) {
    request.keys.push_back(SortKey::Time);
    request.time_quantum = quantum_of(pictures, header);
  }
  if (pictures.page()) request.keys.push_back(SortKey::Pid);
  request.tail = GroupTail::None;
  request.branches = request.blocks = false;
  request.by_address = request.leaf_lines = request.chain_lines = request.chain_offsets = false;
  request.chains = request.leaf_chains = true;
  request.by_leaf = false;
  request.appends = pictures.timed() && !request.histories;
  request.kept_samples = 0;
  request.unknown_frames = UnknownFrames::Joined;
  if (!pictures.page()) return;
  std::vector<bool> waits;
  for (const std::string& name : names) waits.push_back(name.starts_with(kOffCpuName));
  sinks.lanes.emplace(std::move(waits), request.time_quantum);
  sinks.hits.emplace(HitRequest{.step = request.time_quantum});
  request.also = {&*sinks.hits, &*sinks.lanes};
}

Result<> write_pictures(const PictureRequest& request, Pictured& pictured, const PictureOutput& output) {
  Drawn drawn = draw_pictures(request, pictured);
  if (drawn.events.empty()) return std::unexpected(no_samples_error(pictured.filters));
  if (!request.flame_graph.empty()) PEREGRINE_TRY(write_svgs(request, pictured, drawn, output));
  if (request.page()) PEREGRINE_TRY(write_page(request, pictured, drawn, output));
  return {};
}

}  // namespace peregrine
