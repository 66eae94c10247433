#include "output/html/profile_page.h"

#include <algorithm>
#include <utility>

#include "output/json/json_text.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

// Strings from the recording may contain any bytes. Control characters are shown as escapes and never reach the page.
std::string json_string(std::string_view text) {
  return '"' + (is_printable(text) ? json_escaped(text) : json_escaped(printable(text))) + '"';
}
// For text with several lines: keeps newlines and tabs.
std::string json_lines(std::string_view text) { return '"' + json_escaped(without_controls(text)) + '"'; }

// Writes "name":[…] with value(item) for each item. With `steps`, writes the difference from the value before, which
// compresses better.
template <class Items, class Value>
void column(Sink& out, std::string_view name, const Items& items, bool steps, const Value& value) {
  out.format("\"{}\":[", name);
  u64 last = 0;
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out.append(',');
    const u64 own = value(item);
    if (steps)
      out.decimal_signed(static_cast<i64>(own - std::exchange(last, own)));
    else
      out.decimal(own);
  }
  out.append(']');
}

void append_stacks(Sink& out, const StackProfile& profile) {
  out.append("\"texts\":[");
  for (std::size_t at = 0; at < profile.texts.size(); ++at)
    out.append(at == 0 ? "" : ",").append(json_string(profile.texts[at]));
  out.append("],\n\"frames\":{");
  column(out, "name", profile.frames, false, [](const StackFrame& frame) { return frame.name; });
  column(out.append(','), "dso", profile.frames, false, [](const StackFrame& frame) { return frame.dso; });
  column(out.append(','), "kind", profile.frames, false, [](const StackFrame& frame) { return u64(frame.kind); });
  out.append("},\n\"stacks\":{");
  column(out, "parent", profile.stacks, true, [](const Stack& stack) { return stack.parent; });
  column(out.append(','), "frame", profile.stacks, false, [](const Stack& stack) { return stack.frame; });
  out.format("}},\n\"time\":{{\"start\":{},\"length\":{},\"slots\":{}}},\n", profile.start, profile.slot_length,
             profile.slots);
}

// Writes the period per sample once if it is the same for all weights, which saves a third of the data. Otherwise
// writes all periods.
template <class Weight>
void append_periods(Sink& out, const std::vector<Weight>& weights) {
  const u64 each = weights.empty() || weights[0].samples == 0 ? 0 : weights[0].period / weights[0].samples;
  const auto same = [&](const Weight& weight) { return weight.period == each * weight.samples; };
  if (!weights.empty() && std::ranges::all_of(weights, same))
    out.format("\"each\":{}", each);
  else
    column(out, "period", weights, false, [](const Weight& weight) { return weight.period; });
}

void append_series(Sink& out, const StackSeries& series, std::string_view unit) {
  out.format("{{\"name\":{},\"unit\":{},", json_string(series.name), json_string(unit));
  column(out, "stack", series.weights, true, [](const StackWeight& weight) { return weight.stack; });
  column(out.append(','), "slot", series.weights, false, [](const StackWeight& weight) { return weight.slot; });
  column(out.append(','), "samples", series.weights, false, [](const StackWeight& weight) { return weight.samples; });
  append_periods(out.append(','), series.weights);
  out.append('}');
}

void append_lanes(Sink& out, const Lanes& lanes) {
  out.format("\"lanes\":{{\"length\":{},\"slots\":{},\"rows\":[", lanes.slot_length, lanes.slots);
  for (std::size_t at = 0; at < lanes.lanes.size(); ++at) {
    const Lane& lane = lanes.lanes[at];
    out.append(at == 0 ? "" : ",\n");
    if (lane.cpu)
      out.format("{{\"cpu\":{}}}", *lane.cpu);
    else if (lane.joined != 0)
      out.format("{{\"joined\":{},\"waited\":{}}}", lane.joined, lane.waited);
    else
      out.format("{{\"name\":{},\"pid\":{},\"tid\":{},\"waited\":{}}}", json_string(lane.name),
                 static_cast<i32>(lane.pid), static_cast<i32>(lane.tid), lane.waited);
  }
  out.append("],\n");
  const std::vector<LaneWeight>& weights = lanes.weights;
  column(out, "series", weights, true, [](const LaneWeight& weight) { return weight.series; });
  column(out.append(','), "lane", weights, true, [](const LaneWeight& weight) { return weight.lane; });
  column(out.append(','), "slot", weights, true, [](const LaneWeight& weight) { return weight.slot; });
  column(out.append(','), "samples", weights, false, [](const LaneWeight& weight) { return weight.samples; });
  column(out.append(','), "period", weights, false, [](const LaneWeight& weight) { return weight.period; });
  out.append("},\n");
}

void append_times(Sink& out, const LineTimes& times) {
  out.format("{{\"start\":{},\"length\":{},\"slots\":{},\n", times.start, times.slot_length, times.slots);
  const std::vector<LineWeight>& weights = times.weights;
  column(out, "series", weights, true, [](const LineWeight& weight) { return weight.series; });
  column(out.append(','), "line", weights, true, [](const LineWeight& weight) { return weight.line; });
  column(out.append(','), "slot", weights, true, [](const LineWeight& weight) { return weight.slot; });
  column(out.append(','), "samples", weights, false, [](const LineWeight& weight) { return weight.samples; });
  append_periods(out.append(','), weights);
  out.append('}');
}

// Writes one flat array: the samples and the period of each series in turn.
void append_hits(Sink& out, std::string_view name, std::span<const Hits> hits) {
  out.format("\"{}\":[", name);
  for (std::size_t at = 0; at < hits.size(); ++at)
    out.format("{}{},{}", at == 0 ? "" : ",", hits[at].samples, hits[at].period);
  out.append(']');
}

void append_line(Sink& out, const HotLine& line) {
  out.format("{{\"address\":\"{:x}\",\"text\":{}", line.address, json_string(line.text));
  if (line.leads_to >= 0) out.format(",\"leads_to\":{}", line.leads_to);
  if (line.left_out > 0) out.format(",\"left_out\":{}", line.left_out);
  if (!line.place.empty()) out.format(",\"place\":{}", json_string(line.place));
  if (!line.source.empty()) {
    out.append(",\"source\":[");
    for (std::size_t at = 0; at < line.source.size(); ++at)
      out.format("{}[{},{}]", at == 0 ? "" : ",", line.source[at].number, json_lines(line.source[at].text));
    out.append(']');
  }
  for (const Hits& hits : line.hits) {
    if (hits.samples == 0) continue;
    append_hits(out.append(','), "hits", line.hits);
    break;
  }
  out.append('}');
}

void append_function(Sink& out, const HotFunction& function) {
  out.format("{{\"name\":{},\"dso\":{},\"file\":{},", json_string(function.name), json_string(function.dso),
             json_string(function.file));
  out.append("\"total\":[");
  for (std::size_t at = 0; at < function.total.size(); ++at)
    out.format("{}[{},{}]", at == 0 ? "" : ",", function.total[at].samples, function.total[at].period);
  out.append(']');
  if (!function.missing.empty()) out.format(",\"missing\":{}", json_lines(function.missing));
  out.append(",\"lines\":[");
  for (std::size_t at = 0; at < function.lines.size(); ++at) {
    if (at != 0) out.append(",\n");
    append_line(out, function.lines[at]);
  }
  out.append("]}");
}

}  // namespace

std::string profile_json(const PageContent& content, const PageText& text) {
  const StackProfile& profile = content.profile;
  Sink out;
  out.format("\"title\":{},\"subtitle\":{},\"made_by\":{},\n", json_string(text.title), json_string(text.subtitle),
             json_string(text.made_by));
  out.format("\"first_view\":\"{}\",\"compared\":{},\"as_counted\":{},\"narrow\":{},\n",
             text.heat_map_first ? "heat" : "flame", text.compared, text.as_counted, text.narrow);
  append_stacks(out, profile);
  out.append("\"series\":[");
  for (std::size_t at = 0; at < profile.series.size(); ++at) {
    if (at != 0) out.append(",\n");
    append_series(out, profile.series[at], at < text.units.size() ? text.units[at] : "events");
  }
  out.append("],\n");
  if (content.lanes != nullptr && !content.lanes->lanes.empty()) append_lanes(out, *content.lanes);
  out.append("\"facts\":[");
  for (std::size_t at = 0; at < text.facts.size(); ++at)
    out.format("{}[{},{}]", at == 0 ? "" : ",", json_string(text.facts[at].first), json_string(text.facts[at].second));
  out.format("],\n\"header\":{},\"losses\":{}", json_lines(text.header), json_lines(text.losses));
  return out.take();
}

std::string code_json(std::span<const HotFunction> code, const LineTimes& times) {
  Sink out;
  out.append("\"code\":[");
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (at != 0) out.append(",\n");
    append_function(out, code[at]);
  }
  out.append("]");
  if (!times.weights.empty()) append_times(out.append(",\n\"line_times\":"), times);
  return out.take();
}

}  // namespace peregrine
