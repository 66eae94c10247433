#include "analysis/timeline/timeline_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text/ascii.h"

namespace peregrine {

namespace {

constexpr std::size_t kMostUnpacked = 24;  // blocks
constexpr u64 kMostExact = 1'500'000;      // rows in view; beyond that, the overview

std::string_view state_words(char state) {
  switch (state) {
    case kRuns:
      return "running";
    case 'R':
      return "waiting for a CPU";
    case 'D':
      return "blocked";
    case 'T':
    case 't':
      return "stopped";
    default:
      return "asleep";
  }
}

// Adds the share that [from, until) has of each cell.
class CellSums {
 public:
  CellSums(u64 from, u64 span, std::size_t columns)
      : from_(from),
        until_(from + span),
        length_(static_cast<double>(span) / static_cast<double>(columns)),
        columns_(columns) {}

  template <class Add>
  void spread(u64 begin, u64 end, const Add& add) const {
    begin = std::max(begin, from_);
    end = std::min(end, until_);
    if (begin >= end) return;
    const double left = static_cast<double>(begin - from_) / length_,
                 right = static_cast<double>(end - from_) / length_;
    for (auto cell = static_cast<std::size_t>(left); cell < columns_ && static_cast<double>(cell) < right; ++cell) {
      const auto low = std::max(left, static_cast<double>(cell)), high = std::min(right, static_cast<double>(cell) + 1);
      add(cell, static_cast<float>(high - low));
    }
  }

 private:
  u64 from_, until_;
  double length_;
  std::size_t columns_;
};

// The task of a cell is the one of its longest part.
void add_runners(const TimelineOverview& overview, u32 cpu, const CellSums& sums, std::vector<LaneCell>& cells) {
  if (cpu >= overview.lanes(SumKind::CpuTask).size()) return;
  const SlotSums& own = overview.lanes(SumKind::CpuTask)[cpu];
  const u64 slot = overview.slot_length();
  for (std::size_t at = 0; at < own.sums.size(); ++at) {
    if (own.sums[at] == 0) continue;
    const auto task = static_cast<u32>(own.sums[at]) - 1;
    sums.spread((own.first + at) * slot, (own.first + at + 1) * slot, [&](std::size_t cell, float share) {
      if (share <= cells[cell].longest) return;
      cells[cell].longest = share;
      cells[cell].task = task;
    });
  }
}

}  // namespace

TimelineQueries::TimelineQueries(const Timeline& timeline) : timeline_(timeline) {
  for (const u32 cpu : timeline.cpus) lanes_.push_back({true, cpu, fmt::format("CPU {}", cpu)});
  std::vector<u32> tasks(timeline.tasks.size());
  std::iota(tasks.begin(), tasks.end(), 0U);
  std::ranges::stable_sort(tasks, [&](u32 a, u32 b) {
    const TimelineTask &left = timeline.tasks[a], &right = timeline.tasks[b];
    return std::pair(left.run_time, left.events) > std::pair(right.run_time, right.events);
  });
  for (const u32 task : tasks)
    if (task != 0) lanes_.push_back({false, task, task_name(task)});
  for (const TimelineType& type : timeline.types) {
    type_names_.push_back(lower_case(type.name));
    columns_.push_back(type.columns);
  }
}

std::string TimelineQueries::task_name(u32 task) const {
  if (task == 0 || task >= timeline_.tasks.size()) return "idle";
  const TimelineTask& own = timeline_.tasks[task];
  if (own.pid == 0 || own.pid == own.tid) return fmt::format("{} {}", own.comm, own.tid);
  return fmt::format("{} {}/{}", own.comm, own.pid, own.tid);
}

TimelineQueries::Unpacked& TimelineQueries::unpacked(std::size_t block) {
  const auto found = std::ranges::find(unpacked_, block, &Unpacked::block);
  if (found != unpacked_.end()) {
    unpacked_.splice(unpacked_.begin(), unpacked_, found);
    return unpacked_.front();
  }
  if (unpacked_.size() >= kMostUnpacked) unpacked_.pop_back();
  Unpacked& made = unpacked_.emplace_front();
  made.block = block;
  made.rows = unpack_rows(timeline_.blocks[block].lanes);
  made.counts.resize(timeline_.types.size());
  for (const TimelineEvent& event : made.rows.events) made.places.push_back(made.counts[event.type]++);
  return made;
}

std::pair<std::size_t, std::size_t> TimelineQueries::blocks_in(u64 from, u64 until) const {
  const auto& blocks = timeline_.blocks;
  const auto first = std::ranges::lower_bound(blocks, from, {}, &TimelineBlock::last);
  const auto last = std::ranges::upper_bound(blocks, until, {}, &TimelineBlock::first);
  const auto low = static_cast<std::size_t>(first - blocks.begin()),
             high = static_cast<std::size_t>(last - blocks.begin());
  return {low, std::max(low, high)};
}

void TimelineQueries::add_overview(const Wanted& wanted, u64 from, u64 span) const {
  const CellSums sums(from, span, wanted.columns);
  const TimelineOverview& overview = timeline_.overview;
  const u64 slot = overview.slot_length();
  const auto add_all = [&](SumKind kind, u32 owner, std::size_t lane, float LaneCell::* member) {
    if (owner >= overview.lanes(kind).size()) return;
    const SlotSums& own = overview.lanes(kind)[owner];
    for (std::size_t at = 0; at < own.sums.size(); ++at)
      sums.spread((own.first + at) * slot, (own.first + at + 1) * slot, [&](std::size_t cell, float share) {
        wanted.cells[lane][cell].*member += share * own.sums[at] / static_cast<float>(slot);
      });
  };
  for (const auto& [cpu, lane] : wanted.cpus) {
    add_all(SumKind::CpuRuns, cpu, lane, &LaneCell::runs);
    add_runners(overview, cpu, sums, wanted.cells[lane]);
  }
  for (const auto& [task, lane] : wanted.tasks) {
    add_all(SumKind::TaskRuns, task, lane, &LaneCell::runs);
    add_all(SumKind::TaskWaits, task, lane, &LaneCell::waits);
    add_all(SumKind::TaskBlocks, task, lane, &LaneCell::blocked);
  }
}

void TimelineQueries::add_rows(const Wanted& wanted, std::size_t block, u64 from, u64 span) {
  const CellSums sums(from, span, wanted.columns);
  const u64 first = timeline_.blocks[block].first, last = timeline_.blocks[block].last;
  for (const TaskSlice& slice : rows(block).states) {
    const u64 begin = std::max(slice.start, first), end = std::min(slice.start + slice.length, last);
    const auto member = slice.state == kRuns ? &LaneCell::runs
                        : slice.state == 'R' ? &LaneCell::waits
                        : slice.state == 'D' ? &LaneCell::blocked
                                             : nullptr;
    if (const auto lane = wanted.tasks.find(slice.task); lane != wanted.tasks.end() && member != nullptr)
      sums.spread(begin, end,
                  [&](std::size_t cell, float share) { wanted.cells[lane->second][cell].*member += share; });
    if (slice.state != kRuns) continue;
    const auto lane = wanted.cpus.find(slice.cpu);
    if (lane == wanted.cpus.end()) continue;
    sums.spread(begin, end, [&](std::size_t cell, float share) {
      LaneCell& own = wanted.cells[lane->second][cell];
      own.runs += share;
      if (share <= own.longest) return;
      own.longest = share;
      own.task = slice.task;
    });
  }
}

std::vector<std::vector<LaneCell>> TimelineQueries::cells(std::span<const TimelineLane> lanes, u64 from, u64 span,
                                                          std::size_t columns) {
  std::vector<std::vector<LaneCell>> cells(lanes.size(), std::vector<LaneCell>(columns));
  Wanted wanted{.cells = cells, .columns = columns, .cpus = {}, .tasks = {}};
  for (std::size_t at = 0; at < lanes.size(); ++at)
    (lanes[at].is_cpu ? wanted.cpus : wanted.tasks).emplace(lanes[at].owner, at);
  const auto [low, high] = blocks_in(from, from + span);
  u64 rows_in_view = 0;
  for (std::size_t block = low; block < high; ++block) rows_in_view += timeline_.blocks[block].rows;
  if (rows_in_view > kMostExact) {
    add_overview(wanted, from, span);
    return cells;
  }
  for (std::size_t block = low; block < high; ++block) add_rows(wanted, block, from, span);
  return cells;
}

std::string TimelineQueries::state_at(const TimelineLane& lane, u64 time) {
  const auto [low, high] = blocks_in(time, time);
  if (low >= high) return {};
  for (const TaskSlice& slice : rows(low).states) {
    if (slice.start > time || slice.start + slice.length < time) continue;
    if (lane.is_cpu) {
      if (slice.state == kRuns && slice.cpu == lane.owner) return "running " + task_name(slice.task);
      continue;
    }
    if (slice.task != lane.owner) continue;
    std::string text(state_words(slice.state));
    if (slice.state == kRuns)
      text += fmt::format(" on CPU {}", slice.cpu);
    else if (slice.state == 'R' && slice.cause >= kFirstWaker)
      text += ", woken by " + task_name(slice.cause - kFirstWaker);
    else if (slice.state == 'R' && slice.cause == kInterruptWakes)
      text += ", woken by an interrupt";
    else if (slice.state != 'R' && slice.cause != 0)
      text += fmt::format(" in {}()", timeline_.texts[slice.cause - 1]);
    return text;
  }
  return {};
}

bool TimelineQueries::may_show(std::size_t number, const Shown& shown) const {
  const TimelineBlock& block = timeline_.blocks[number];
  if (block.events == 0) return false;
  if (shown.lane != nullptr &&
      !std::ranges::binary_search(shown.lane->is_cpu ? block.cpus : block.tasks, shown.lane->owner))
    return false;
  return shown.event.empty() ||
         std::ranges::any_of(block.types, [&](u32 type) { return type_names_[type].contains(shown.event); });
}

bool TimelineQueries::is_shown(const TimelineEvent& event, const Shown& shown) const {
  if (shown.lane != nullptr && (shown.lane->is_cpu ? event.cpu : event.task) != shown.lane->owner) return false;
  return shown.event.empty() || type_names_[event.type].contains(shown.event);
}

std::optional<EventPlace> TimelineQueries::first_at(u64 time, const Shown& shown) {
  for (std::size_t block = blocks_in(time, time).first; block < timeline_.blocks.size(); ++block) {
    if (!may_show(block, shown)) continue;
    const auto& events = rows(block).events;
    const auto from = std::ranges::lower_bound(events, time, {}, &TimelineEvent::time);
    const auto found =
        std::find_if(from, events.end(), [&](const TimelineEvent& event) { return is_shown(event, shown); });
    if (found != events.end()) return EventPlace{block, static_cast<std::size_t>(found - events.begin())};
  }
  return std::nullopt;
}

std::optional<EventPlace> TimelineQueries::step(EventPlace from, bool forwards, const Shown& shown) const {
  const auto& blocks = timeline_.blocks;
  if (forwards) {
    if (++from.row < blocks[from.block].events) return from;
    for (from.row = 0; ++from.block < blocks.size();)
      if (may_show(from.block, shown)) return from;
    return std::nullopt;
  }
  if (from.row > 0) return EventPlace{from.block, from.row - 1};
  while (from.block-- > 0)
    if (may_show(from.block, shown)) return EventPlace{from.block, blocks[from.block].events - 1U};
  return std::nullopt;
}

std::optional<EventPlace> TimelineQueries::next(EventPlace from, bool forwards, const Shown& shown) {
  std::optional<EventPlace> at = step(from, forwards, shown);
  while (at && !is_shown(event(*at), shown)) at = step(*at, forwards, shown);
  return at;
}

std::optional<EventPlace> TimelineQueries::find(EventPlace from, bool forwards, const Shown& shown,
                                                const EventQuery& query, const std::function<bool()>& stop) {
  constexpr unsigned kPatience = 4096;
  std::optional<EventPlace> at = next(from, forwards, shown);
  for (unsigned passed = 1; at && !matches(*at, query); ++passed) {
    if (stop && passed % kPatience == 0 && stop()) return std::nullopt;
    at = next(*at, forwards, shown);
  }
  return at;
}

std::span<const u64> TimelineQueries::values_of(Unpacked& block, std::size_t row) {
  const u32 type = block.rows.events[row].type;
  const std::size_t width = columns_[type].size();
  const auto [values, fresh] = block.fields.try_emplace(type);
  if (fresh) values->second = unpack_fields(timeline_.blocks[block.block].fields, block.counts, columns_, type);
  return std::span(values->second).subspan(block.places[row] * width, width);
}

std::string TimelineQueries::field_text(const TimelineColumn& column, u64 value) const {
  switch (column.kind) {
    case ColumnKind::Text:
      return value < timeline_.texts.size() ? timeline_.texts[value] : std::string();
    case ColumnKind::Address:
      return fmt::format("{:#x}", value);
    case ColumnKind::Wide:
      return fmt::format("{}", value);
    case ColumnKind::Number:
    case ColumnKind::SignedWide:
      return fmt::format("{}", static_cast<i64>(value));
  }
  return {};
}

bool TimelineQueries::matches(EventPlace place, const EventQuery& query) {
  Unpacked& block = unpacked(place.block);
  const TimelineEvent& event = block.rows.events[place.row];
  const TimelineTask& task = timeline_.tasks[event.task];
  const auto& columns = columns_[event.type];
  const EventQuery::Subject subject{
      .event = timeline_.types[event.type].name,
      .field = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = std::ranges::find(columns, name, &TimelineColumn::name);
        if (found != columns.end() && name != "cpu")
          return field_text(*found, values_of(block, place.row)[static_cast<std::size_t>(found - columns.begin())]);
        if (name == "comm") return task.comm;
        if (name == "pid") return std::to_string(task.pid);
        if (name == "tid") return std::to_string(task.tid);
        if (name == "cpu") return std::to_string(event.cpu);
        return std::nullopt;
      },
      .any_text =
          [&](std::string_view wanted) {
            if (lower_case(task_name(event.task)).contains(wanted)) return true;
            for (std::size_t at = 0; at < columns.size(); ++at)
              if (columns[at].kind == ColumnKind::Text &&
                  lower_case(field_text(columns[at], values_of(block, place.row)[at])).contains(wanted))
                return true;
            return false;
          }};
  return query.matches(subject);
}

TimelineText TimelineQueries::text(EventPlace place) {
  Unpacked& block = unpacked(place.block);
  const TimelineEvent& event = block.rows.events[place.row];
  TimelineText text{.time = event.time,
                    .cpu = event.cpu,
                    .task = task_name(event.task),
                    .event = timeline_.types[event.type].name,
                    .fields = {}};
  const auto& columns = columns_[event.type];
  const std::span<const u64> values = values_of(block, place.row);
  for (std::size_t at = 0; at < columns.size(); ++at)
    text.fields.emplace_back(columns[at].name, field_text(columns[at], values[at]));
  const StackProfile& stacks = timeline_.stacks;
  for (u32 stack = event.stack; stack != 0 && stacks.stacks[stack].parent != 0; stack = stacks.stacks[stack].parent)
    text.fields.emplace_back(stack == event.stack ? "stack" : "", stacks.name(stacks.stacks[stack].frame));
  return text;
}

}  // namespace peregrine
