#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/annotate/hot_functions.h"
#include "analysis/annotate/line_times.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/picture/lanes.h"
#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"
#include "output/html/page_json.h"
#include "output/html/profile_page.h"
#include "output/json/json_document.h"
#include "output/sink.h"

namespace peregrine {
namespace {

// Writes the period per sample once if it is the same for all weights, which saves a third of the data. Otherwise
// writes all periods.
template <class Weight>
void write_periods(JsonDocument& json, const std::vector<Weight>& weights) {
  const u64 each = weights.empty() || weights[0].samples == 0 ? 0 : weights[0].period / weights[0].samples;
  const auto same = [&](const Weight& weight) { return weight.period == each * weight.samples; };
  if (!weights.empty() && std::ranges::all_of(weights, same))
    json.member("each", each);
  else
    json_column(json, "period", weights, [](const Weight& weight) { return weight.period; });
}

// Lanes by thread. Threads with the same tid are one, and threads without a lane belong to the lane of the others.
class ThreadLanes {
 public:
  explicit ThreadLanes(const Lanes& lanes) {
    for (u32 at = 0; at < lanes.lanes.size(); ++at) {
      const Lane& lane = lanes.lanes[at];
      if (lane.cpu) break;
      if (lane.joined != 0)
        others_ = at;
      else
        lanes_.emplace(lane.tid, at);
    }
  }
  u32 operator[](u32 thread) const {
    const auto found = lanes_.find(thread);
    return found == lanes_.end() ? others_ : found->second;
  }

 private:
  std::unordered_map<u32, u32> lanes_;
  u32 others_ = 0;
};

void write_series(JsonDocument& json, const StackSeries& series, std::string_view unit, const ThreadLanes* threads) {
  json.line().object([&] {
    json.member("name", page_text(series.name)).member("unit", page_text(unit));
    json_steps(json, "stack", series.weights, [](const StackWeight& weight) { return weight.stack; });
    json_column(json, "slot", series.weights, [](const StackWeight& weight) { return weight.slot; });
    json_column(json, "samples", series.weights, [](const StackWeight& weight) { return weight.samples; });
    write_periods(json, series.weights);
    if (threads != nullptr)
      json_column(json, "lane", series.weights, [&](const StackWeight& weight) { return (*threads)[weight.thread]; });
  });
}

void write_lane(JsonDocument& json, const Lane& lane) {
  json.line().object([&] {
    if (lane.cpu) {
      json.member("cpu", *lane.cpu);
      return;
    }
    if (lane.joined != 0)
      json.member("joined", lane.joined);
    else
      json.member("name", page_text(lane.name))
          .member("pid", static_cast<i32>(lane.pid))
          .member("tid", static_cast<i32>(lane.tid));
    json.member("waited", lane.waited);
  });
}

void write_lanes(JsonDocument& json, const Lanes& lanes) {
  json.line().object("lanes", [&] {
    json.member("length", lanes.slot_length).member("slots", lanes.slots);
    json.array("rows", [&] {
      for (const Lane& lane : lanes.lanes) write_lane(json, lane);
    });
    const std::vector<LaneWeight>& weights = lanes.weights;
    json_steps(json.line(), "series", weights, [](const LaneWeight& weight) { return weight.series; });
    json_steps(json, "lane", weights, [](const LaneWeight& weight) { return weight.lane; });
    json_steps(json, "slot", weights, [](const LaneWeight& weight) { return weight.slot; });
    json_column(json, "samples", weights, [](const LaneWeight& weight) { return weight.samples; });
    json_column(json, "period", weights, [](const LaneWeight& weight) { return weight.period; });
  });
}

void write_times(JsonDocument& json, const LineTimes& times) {
  json.line().object("line_times", [&] {
    json.member("start", times.start).member("length", times.slot_length).member("slots", times.slots);
    const std::vector<LineWeight>& weights = times.weights;
    json_steps(json.line(), "series", weights, [](const LineWeight& weight) { return weight.series; });
    json_steps(json, "line", weights, [](const LineWeight& weight) { return weight.line; });
    json_steps(json, "slot", weights, [](const LineWeight& weight) { return weight.slot; });
    json_column(json, "samples", weights, [](const LineWeight& weight) { return weight.samples; });
    write_periods(json, weights);
  });
}

void write_source(JsonDocument& json, const HotLine& line) {
  json.array("source", [&] {
    for (const auto& source : line.source)
      json.array([&] { json.value(source.number).value(page_lines(source.text)); });
  });
}

void write_line(JsonDocument& json, const HotLine& line) {
  json.line().object([&] {
    json.member("address", fmt::format("{:x}", line.address)).member("text", page_text(line.text));
    if (line.leads_to >= 0) json.member("leads_to", line.leads_to);
    if (line.left_out > 0) json.member("left_out", line.left_out);
    if (!line.place.empty()) json.member("place", page_text(line.place));
    if (!line.source.empty()) write_source(json, line);
    if (std::ranges::all_of(line.hits, [](const Hits& hits) { return hits.samples == 0; })) return;
    json.array("hits", [&] {  // flat: the samples and the period of each series in turn
      for (const Hits& hits : line.hits) json.value(hits.samples).value(hits.period);
    });
  });
}

void write_function(JsonDocument& json, const HotFunction& function) {
  json.line().object([&] {
    json.member("name", page_text(function.name)).member("dso", page_text(function.dso));
    json.member("file", page_text(function.file));
    json.array("total", [&] {
      for (const Hits& hits : function.total) json.array([&] { json.value(hits.samples).value(hits.period); });
    });
    if (!function.missing.empty()) json.member("missing", page_lines(function.missing));
    json.array("lines", [&] {
      for (const HotLine& line : function.lines) write_line(json, line);
    });
  });
}

}  // namespace

std::string profile_json(const PageContent& content, const PageText& text) {
  const StackProfile& profile = content.profile;
  Sink out;
  JsonDocument json(out);
  json.member("title", page_text(text.title)).member("subtitle", page_text(text.subtitle));
  json.member("made_by", page_text(text.made_by)).line().member("first_view", text.heat_map_first ? "heat" : "flame");
  json.member("compared", text.compared).member("as_counted", text.as_counted).member("narrow", text.narrow);
  json.member("span", text.span).line();
  write_stacks(json, profile);
  const bool has_lanes = content.lanes != nullptr && !content.lanes->lanes.empty();
  std::optional<ThreadLanes> threads;
  if (has_lanes && profile.has_threads) threads.emplace(*content.lanes);
  json.line().array("series", [&] {
    for (std::size_t at = 0; at < profile.series.size(); ++at)
      write_series(json, profile.series[at], at < text.units.size() ? text.units[at] : "events",
                   threads ? &*threads : nullptr);
  });
  if (has_lanes) write_lanes(json, *content.lanes);
  write_facts(json, text.facts);
  json.line().member("header", page_lines(text.header)).member("losses", page_lines(text.losses));
  return out.take();
}

std::string code_json(std::span<const HotFunction> code, const LineTimes& times) {
  Sink out;
  JsonDocument json(out);
  json.array("code", [&] {
    for (const HotFunction& function : code) write_function(json, function);
  });
  if (!times.weights.empty()) write_times(json, times);
  return out.take();
}

}  // namespace peregrine
