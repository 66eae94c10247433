#include "output/tui/timeline/timeline_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two tasks on one CPU in 100 ns: "five" runs, then "six", while five waits; and three events.
Timeline small_timeline() {
  Timeline timeline;
  timeline.length = 100;
  timeline.event_count = 3;
  timeline.types = {{.name = "app:start", .tracepoint = true, .columns = {{"size", ColumnKind::Number}}, .count = 2},
                    {.name = "app:stop", .tracepoint = true, .columns = {}, .count = 1}};
  timeline.tasks = {{.comm = "idle"},
                    {.pid = 5, .tid = 5, .comm = "five", .run_time = 50, .events = 2},
                    {.pid = 5, .tid = 6, .comm = "six", .run_time = 40, .events = 1}};
  timeline.cpus = {0};
  timeline.texts = {"", "read"};
  TimelineRows rows;
  rows.events = {
      {.time = 0, .type = 0, .task = 1}, {.time = 50, .type = 1, .task = 1}, {.time = 60, .type = 0, .task = 2}};
  rows.states = {{.start = 0, .length = 50, .task = 1, .state = kRuns},
                 {.start = 50, .length = 40, .task = 2, .state = kRuns},
                 {.start = 50, .length = 50, .task = 1, .state = 'R', .cause = 2 + kFirstWaker}};
  timeline.overview.add_time(SumKind::CpuRuns, 0, 0, 90);
  TimelineBlock block{.first = 0,
                      .last = 100,
                      .events = 3,
                      .rows = 6,
                      .types = {0, 1},
                      .cpus = {0},
                      .tasks = {1, 2},
                      .lanes = pack_rows(rows),
                      .fields = {}};
  append_fields_of_type(block.fields, timeline.types[0].columns, std::vector<u64>{77, 88});
  timeline.blocks = {block};
  return timeline;
}

class LanesViewTest : public ::testing::Test {
 protected:
  std::string text(unsigned width = 80, unsigned height = 24) {
    Canvas canvas(width, height, true);
    view_.draw(canvas);
    return canvas.text();
  }
  void press(std::string_view keys) {
    for (const char c : keys) {
      text();
      view_.key(letter(static_cast<char32_t>(c)));
    }
  }
  void press(Key::Code code, int times = 1) {
    for (; times > 0; --times) {
      text();
      view_.key(of(code));
    }
  }
  Timeline timeline_ = small_timeline();
  TimelineQueries queries_{timeline_};
  LanesView view_{queries_, "x.data"};
};

TEST_F(LanesViewTest, ShowsLanesAndEvents) {
  const std::string shown = text();
  EXPECT_THAT(shown, HasSubstr("Timeline  x.data"));
  EXPECT_THAT(shown, HasSubstr("CPU 0"));
  EXPECT_THAT(shown, HasSubstr("five 5 "));
  EXPECT_THAT(shown, HasSubstr("six 5/6"));
  EXPECT_THAT(shown, HasSubstr("CPU 0: running five 5"));
  EXPECT_THAT(shown, HasSubstr("app:start size=77"));
  EXPECT_THAT(shown, HasSubstr(".........")) << "five waits for a CPU";
}

TEST_F(LanesViewTest, TellsWhyLanesAreEmpty) {
  EXPECT_THAT(text(), Not(HasSubstr("no switches recorded")));
  timeline_.overview = {};
  EXPECT_THAT(text(), HasSubstr("Lanes are empty: no switches recorded"));
}

TEST_F(LanesViewTest, TellsWhatTheLaneDoesAtTheCursor) {
  press(Key::Code::Down);
  press(Key::Code::Right, 50);
  EXPECT_THAT(text(), HasSubstr("five 5: waiting for a CPU, woken by six 5/6"));
}

TEST_F(LanesViewTest, TheListFollowsTheCursorAndTheCursorTheList) {
  press(Key::Code::Tab);
  press(Key::Code::Down);
  EXPECT_THAT(text(), HasSubstr("0.000000050 s")) << "the time below the lanes";
  press(Key::Code::Down, 5);
  EXPECT_THAT(text(), HasSubstr("0.000000060 s")) << "and stays at the last event";
}

TEST_F(LanesViewTest, ListsTheEventsOfALane) {
  press(Key::Code::Down, 2);
  press("l");
  const std::string shown = text();
  EXPECT_THAT(shown, HasSubstr("Events of six 5/6"));
  EXPECT_THAT(shown, HasSubstr("size=88"));
  EXPECT_THAT(shown, Not(HasSubstr("size=77")));
}

TEST_F(LanesViewTest, MeasuresBetweenMarkers) {
  press("[");
  press(Key::Code::Tab);
  press(Key::Code::Down);
  press("]");
  EXPECT_THAT(text(), HasSubstr("B-A 50 ns"));
  press("x");
  EXPECT_THAT(text(), Not(HasSubstr("B-A")));
}

TEST_F(LanesViewTest, OpensPopupsAndLeaves) {
  EXPECT_EQ(view_.key(letter('?')).kind, Answer::Kind::Open);
  EXPECT_EQ(view_.key(letter('/')).kind, Answer::Kind::Open);
  EXPECT_EQ(view_.key(of(Key::Code::Enter)).kind, Answer::Kind::Open);
  EXPECT_EQ(view_.key(letter('q')).kind, Answer::Kind::Quit);
}

TEST_F(LanesViewTest, SearchesEvents) {
  Answer asked = view_.key(letter('/'));
  for (const char c : std::string("size=88")) asked.view->key(letter(static_cast<char32_t>(c)));
  EXPECT_EQ(asked.view->key(of(Key::Code::Enter)).kind, Answer::Kind::Back);
  EXPECT_THAT(text(), HasSubstr("0.000000060 s"));
  press("n");
  EXPECT_THAT(text(), HasSubstr("No later event matches 'size=88'"));
}

TEST_F(LanesViewTest, FitsSmallTerminals) {
  for (const auto& [width, height] : {std::pair{40U, 10U}, {20U, 6U}, {5U, 3U}, {200U, 60U}}) {
    text(width, height);
    view_.key(letter('+'));
    view_.key(letter('d'));
  }
  EXPECT_THAT(text(40, 10), HasSubstr("CPU 0"));
}

}  // namespace
}  // namespace peregrine::tui
