#include "output/html/timeline_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/timeline/packed_columns.h"
#include "base/leb128.h"
#include "base/number/whole_number.h"
#include "output/html/page_frame.h"
#include "output/html/page_json.h"
#include "output/html/page_parts.h"
#include "output/json/json_document.h"

namespace peregrine {

namespace {

constexpr double kFull = 255;

bool is_time(SumKind kind) { return kind != SumKind::CpuTask && kind != SumKind::Events; }

void write_types(JsonDocument& json, const Timeline& timeline) {
  json.line().array("types", [&] {
    for (const TimelineType& type : timeline.types) {
      json.line().object([&] {
        json.member("name", page_text(type.name)).member("tracepoint", type.tracepoint).member("count", type.count);
        json.array("columns", [&] {
          for (const TimelineColumn& column : type.columns)
            json.array([&] { json.value(page_text(column.name)).value(static_cast<u64>(column.kind)); });
        });
      });
    }
  });
}

void write_tasks(JsonDocument& json, const Timeline& timeline) {
  json.line().object("tasks", [&] {
    json.array("comm", [&] {
      for (const TimelineTask& task : timeline.tasks) json.value(page_text(task.comm));
    });
    json_column(json, "pid", timeline.tasks, [](const TimelineTask& task) { return task.pid; });
    json_column(json, "tid", timeline.tasks, [](const TimelineTask& task) { return task.tid; });
    json_column(json, "run", timeline.tasks, [](const TimelineTask& task) { return task.run_time; });
    json_column(json, "events", timeline.tasks, [](const TimelineTask& task) { return task.events; });
  });
}

void write_texts(JsonDocument& json, std::string_view name, const std::vector<std::string>& texts) {
  json.line().array(name, [&] {
    for (const std::string& text : texts) json.value(page_text(text));
  });
}

constexpr std::string_view kBeforeId = "<script id=\"", kBeforeData = "\" type=\"text/plain\">",
                           kAfterData = "</script>\n", kPageEnd = "</body>\n</html>\n";

void add_data(Sink& out, std::string_view id, const PackedText& data) {
  out.append(kBeforeId).append(id).append(kBeforeData).append(data.base64()).append(kAfterData);
}

// At least the size of the same on the page.
u64 data_bytes(const PackedText& data) {
  constexpr std::size_t kLongestId = 16;
  return kBeforeId.size() + kLongestId + kBeforeData.size() + data.base64_size() + kAfterData.size();
}

// Up to the overview.
void add_head(Sink& out, const Timeline& timeline, const TimelinePacker& packed, const TimelinePageText& text) {
  begin_page(out, text.title, page_style());
  out.append("<style>\n").append(timeline_style()).append("</style>\n").append(timeline_body());
  add_data(out, "data", PackedText('{' + timeline_json(timeline, packed, text) + '}'));
}

std::string stacks_json(const Timeline& timeline) {
  Sink out;
  JsonDocument json(out);
  json.object([&] { write_stacks(json, timeline.stacks); });
  return out.take();
}

}  // namespace

void TimelinePacker::take(TimelineBlock& block) {
  Packed& packed = blocks_.emplace_back();
  packed.first = block.first;
  const auto add = [&](std::string& bytes, u64 most, std::optional<PackedText>& to, std::optional<u64>& end) {
    if (!end) {
      PackedText data(bytes);
      if (bytes_ + data_bytes(data) <= most) {
        bytes_ += data_bytes(data);
        to = std::move(data);
      } else {
        end = block.first;
      }
    }
    std::string().swap(bytes);
  };
  add(block.lanes, most_bytes_, packed.lanes, lanes_end_);
  if (lanes_end_ && !fields_end_) fields_end_ = block.first;  // the page cannot show fields without their events
  add(block.fields, most_bytes_ / 4 * 3, packed.fields, fields_end_);
}

void TimelinePacker::drop(std::optional<PackedText> Packed::* part, std::optional<u64>& end) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend() && bytes_ > most_bytes_; ++block) {
    if (!((*block).*part)) continue;
    bytes_ -= data_bytes(*((*block).*part));
    ((*block).*part).reset();
    end = block->first;
  }
}

void TimelinePacker::leave_room(u64 bytes) {
  most_bytes_ -= std::min(most_bytes_, bytes);
  drop(&Packed::fields, fields_end_);
  drop(&Packed::lanes, lanes_end_);
}

void TimelinePacker::pack_rest(const Timeline& timeline, const TimelinePageText& text) {
  // Leaving out blocks changes the head: numbers in its notes, and which blocks are kept.
  constexpr u64 kChangeOfHead = 128;
  overview_ = PackedText(overview_columns(timeline.overview));
  stacks_ = PackedText(stacks_json(timeline));
  Sink rest;
  add_head(rest, timeline, *this, text);
  add_page_script(rest, timeline_script());
  rest.append(kPageEnd);
  leave_room(rest.text().size() + kChangeOfHead + data_bytes(overview_) + data_bytes(stacks_));
}

std::string timeline_json(const Timeline& timeline, const TimelinePacker& packed, const TimelinePageText& text) {
  Sink out;
  JsonDocument json(out);
  json.member("title", page_text(text.title)).member("subtitle", page_text(text.subtitle));
  json.member("made_by", page_text(text.made_by)).line();
  // As text: a clock's ns need more than the 53 bits of a number in a browser.
  json.member("start", std::to_string(timeline.start)).member("length", timeline.length);
  json.member("events", timeline.event_count).member("slot_length", timeline.overview.slot_length());
  json.line().array("cpus", [&] {
    for (const u32 cpu : timeline.cpus) json.value(cpu);
  });
  json.array("highest", [&] {
    for (const u64 value : timeline.highest) json.value(value);
  });
  write_types(json, timeline);
  write_tasks(json, timeline);
  write_texts(json, "words", timeline.texts);
  write_texts(json, "devices", timeline.devices);
  write_texts(json, "cgroups", timeline.cgroups);
  json.line().object("blocks", [&] {
    json_steps(json, "first", timeline.blocks, [](const TimelineBlock& block) { return block.first; });
    json_steps(json, "last", timeline.blocks, [](const TimelineBlock& block) { return block.last; });
    json_column(json, "events", timeline.blocks, [](const TimelineBlock& block) { return block.events; });
    json_column(json, "rows", timeline.blocks, [](const TimelineBlock& block) { return block.rows; });
    json_column(json, "kept", packed.blocks(),
                [](const auto& block) { return u64{block.lanes.has_value()} + u64{block.fields.has_value()}; });
  });
  write_facts(json, text.facts);
  write_texts(json, "notes", text.notes);
  return out.take();
}

std::string overview_columns(const TimelineOverview& overview) {
  std::string out;
  const double slot = static_cast<double>(overview.slot_length());
  for (std::size_t kind = 0; kind < kSumKinds; ++kind) {
    const std::vector<SlotSums>& lanes = overview.lanes(static_cast<SumKind>(kind));
    const bool times = is_time(static_cast<SumKind>(kind));
    append_uleb128(out, lanes.size());
    for (const SlotSums& lane : lanes) {
      append_uleb128(out, lane.first);
      append_uleb128(out, lane.sums.size());
      append_column(out, Coding::Plain, lane.sums, [&](float sum) {
        return whole_number(times ? std::min(kFull, std::ceil(double{sum} * kFull / slot)) : double{sum});
      });
    }
  }
  return out;
}

void print_timeline_page(Sink& out, const Timeline& timeline, const TimelinePacker& packed,
                         const TimelinePageText& text) {
  add_head(out, timeline, packed, text);
  add_data(out, "overview", packed.overview());
  add_page_script(out, timeline_script());
  add_data(out, "stacks", packed.stacks());
  for (std::size_t at = 0; at < packed.blocks().size(); ++at)
    if (packed.blocks()[at].lanes) add_data(out, fmt::format("lanes{}", at), *packed.blocks()[at].lanes);
  for (std::size_t at = 0; at < packed.blocks().size(); ++at)
    if (packed.blocks()[at].fields) add_data(out, fmt::format("fields{}", at), *packed.blocks()[at].fields);
  out.append(kPageEnd);
}

}  // namespace peregrine
