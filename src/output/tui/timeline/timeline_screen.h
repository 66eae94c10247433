// The screen of `view`: lanes of CPUs and tasks over time, and below them the events at the cursor.
//
//   CPU 0        ▇▇▇▃ ▁▇▇      the height of a bar is the share of the time that something ran
//   make 77      ▇▁··▇         · waiting for a CPU, x blocked
//                   ^
//   time  CPU  task  event  fields
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/timeline_queries.h"
#include "base/result.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class LanesView : public View {
 public:
  // `queries` must outlive this. `name`: of the recording. `screen`: where Esc and Ctrl-C stop a search.
  LanesView(TimelineQueries& queries, std::string name, Screen* screen = nullptr);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;

 private:
  void layout(const Canvas& canvas);
  void draw_title(Canvas& canvas);
  void draw_lane(Canvas& canvas, unsigned y, std::size_t lane, const std::vector<LaneCell>& cells);
  void draw_ruler(Canvas& canvas);
  void draw_events(Canvas& canvas);
  void draw_event(Canvas& canvas, unsigned y, const EventPlace& place);
  u64 time_at(unsigned column) const;
  unsigned column_of(u64 time) const;
  void look(u64 from, u64 span);
  void zoom(double factor);
  void pan(i64 columns);
  void move_to(u64 time);
  void go_to(const EventPlace& place);
  void list_events();
  TimelineQueries::Shown shown() const;
  void search(bool forwards);
  bool stops_search(bool& told);
  void step_event(bool forwards);
  bool move_key(const Key& key);
  bool view_key(const Key& key);
  Answer ask_search();
  Answer ask_filter();
  Answer show_event();

  TimelineQueries& queries_;
  std::string name_;
  Screen* screen_;
  u64 from_ = 0, span_ = 1, time_ = 0;
  std::size_t lane_ = 0, first_lane_ = 0;
  unsigned names_ = 18, columns_ = 1, lane_rows_ = 1, list_rows_ = 1;
  bool in_list_ = false, of_lane_ = false;
  std::vector<EventPlace> list_;
  std::optional<EventPlace> chosen_;
  std::optional<u64> a_, b_;
  std::string wanted_, filter_, status_;
};

// Shows the screen until the user leaves. `plugins`: their folder. Unsupported: this build or terminal cannot.
Result<> show_timeline(const std::string& plugins, const ScreenOptions& options, TimelineQueries& queries,
                       const std::string& name);

}  // namespace peregrine::tui
