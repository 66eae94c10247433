// TimelineQueries: what a screen shows of a Timeline: the lanes, their cells in a span of time, and events with texts.
//
// Keeps the blocks that it unpacked last. One thread.
#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/timeline/event_query.h"
#include "analysis/timeline/timeline.h"
#include "base/types.h"

namespace peregrine {

struct TimelineLane {
  bool is_cpu = false;
  u32 owner = 0;  // CPU or task
  std::string name;
};

// A part of a lane's time: shares from 0 to 1.
struct LaneCell {
  float runs = 0, waits = 0, blocked = 0;
  u32 task = 0;       // of a CPU: the one that ran longest; 0: idle, or unknown
  float longest = 0;  // its longest run
};

struct EventPlace {
  std::size_t block = 0, row = 0;
  friend auto operator<=>(const EventPlace&, const EventPlace&) = default;
};

struct TimelineText {
  u64 time = 0;
  u32 cpu = 0;
  std::string task, event;
  std::vector<std::pair<std::string, std::string>> fields;
};

class TimelineQueries {
 public:
  // `timeline` has the bytes of its blocks; it must outlive this.
  explicit TimelineQueries(const Timeline& timeline);

  const Timeline& timeline() const { return timeline_; }
  // CPUs, then tasks, those that ran longest first.
  const std::vector<TimelineLane>& lanes() const { return lanes_; }
  std::string task_name(u32 task) const;  // "bash 77", or "bash 70/77" for a thread

  // For each lane, `columns` cells of equal length from `from` on.
  std::vector<std::vector<LaneCell>> cells(std::span<const TimelineLane> lanes, u64 from, u64 span,
                                           std::size_t columns);
  // What a task, or the task on a CPU, does at a time: "asleep in read()"; empty if unknown.
  std::string state_at(const TimelineLane& lane, u64 time);

  // Which events are listed: of a lane, or all, and those with this text in their name.
  struct Shown {
    const TimelineLane* lane = nullptr;
    std::string event;  // lower case; empty: all
  };
  // The first at or after a time.
  std::optional<EventPlace> first_at(u64 time, const Shown& shown);
  // The next in that direction.
  std::optional<EventPlace> next(EventPlace from, bool forwards, const Shown& shown);
  // The next that matches. `stop` is asked every few thousand events, and ends the search.
  std::optional<EventPlace> find(EventPlace from, bool forwards, const Shown& shown, const EventQuery& query,
                                 const std::function<bool()>& stop = {});
  TimelineText text(EventPlace place);
  u64 time(EventPlace place) { return rows(place.block).events[place.row].time; }
  const TimelineEvent& event(EventPlace place) { return rows(place.block).events[place.row]; }

 private:
  struct Unpacked {
    std::size_t block = 0;
    TimelineRows rows;
    std::vector<u32> counts;                 // of events, by type
    std::vector<u32> places;                 // of each event, among those of its type
    std::map<u32, std::vector<u64>> fields;  // by type, those that were needed
  };
  struct Wanted {
    std::vector<std::vector<LaneCell>>& cells;
    std::size_t columns;
    std::unordered_map<u32, std::size_t> cpus, tasks;  // the lanes of owners
  };
  void add_overview(const Wanted& wanted, u64 from, u64 span) const;
  void add_rows(const Wanted& wanted, std::size_t block, u64 from, u64 span);
  Unpacked& unpacked(std::size_t block);
  const TimelineRows& rows(std::size_t block) { return unpacked(block).rows; }
  std::pair<std::size_t, std::size_t> blocks_in(u64 from, u64 until) const;
  bool may_show(std::size_t block, const Shown& shown) const;
  bool is_shown(const TimelineEvent& event, const Shown& shown) const;
  std::span<const u64> values_of(Unpacked& block, std::size_t row);
  std::string field_text(const TimelineColumn& column, u64 value) const;
  bool matches(EventPlace place, const EventQuery& query);
  // The event after it in a block that may have shown ones.
  std::optional<EventPlace> step(EventPlace from, bool forwards, const Shown& shown) const;

  const Timeline& timeline_;
  std::vector<TimelineLane> lanes_;
  std::vector<std::string> type_names_;  // lower case
  std::vector<std::vector<TimelineColumn>> columns_;
  std::list<Unpacked> unpacked_;  // the latest first
};

}  // namespace peregrine
