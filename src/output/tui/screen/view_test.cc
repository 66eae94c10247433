// Views of the small profile in test_profile.h, as pictures of text.
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/browse/queries.h"
#include "base/result.h"
#include "output/tui/menu/output_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/picture/butterfly_view.h"
#include "output/tui/picture/flame_view.h"
#include "output/tui/picture/timeline_view.h"
#include "output/tui/report/browser.h"
#include "output/tui/report/report_view.h"
#include "output/tui/report/test_profile.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

std::vector<std::string> symbols_of(const BrowsePage& page) {
  std::vector<std::string> names;
  for (const u32 at : page.rows)
    names.emplace_back(page.table->faces().text(page.table->frame_look(page.table->rows()[at]).symbol));
  return names;
}

TEST(HistQueries, ZoomsLeaveSamplesOrRows) {
  Profile profile;
  BrowseLook look;
  EXPECT_EQ(profile.queries.page(look).rows.size(), 6u);  // main of bash and main of cat are different rows
  look.trail = {{.kind = Zoom::Kind::Thread, .name = "cat (12)", .value = 12}};
  EXPECT_EQ(symbols_of(profile.queries.page(look)), (std::vector<std::string>{"copy", "main"}));
  EXPECT_EQ(profile.queries.page(look).total, 100u);
  look.relative = true;
  EXPECT_EQ(profile.queries.page(look).total, 30u);
  look = {.trail = {{.kind = Zoom::Kind::Dso, .name = "libc"}}};
  EXPECT_EQ(symbols_of(profile.queries.page(look)), (std::vector<std::string>{"copy", "idle"}));
  look = {.trail = {{.kind = Zoom::Kind::Symbol, .name = "run"}}};
  EXPECT_EQ(profile.queries.page(look).period, 70u);
}

TEST(HistQueries, TextsAreFoundInRowsOrInChains) {
  Profile profile;
  EXPECT_EQ(symbols_of(profile.queries.page({.filter = "OP"})), (std::vector<std::string>{"copy"}));
  const BrowsePage page = profile.queries.page({.filter = "copy", .search_chains = true});
  EXPECT_EQ(symbols_of(page), (std::vector<std::string>{"copy", "main"}));
  EXPECT_TRUE(profile.queries.page({.filter = "nowhere"}).rows.empty());
}

TEST(HistQueries, ButterflyHasCallersAndCallees) {
  Profile profile;
  const Butterfly run = profile.queries.butterfly({}, "run");
  EXPECT_EQ(run.whole, 70u);
  EXPECT_EQ(run.own, 0u);
  ASSERT_EQ(run.callers.size(), 1u);
  EXPECT_EQ(run.callers[0].name, "main");
  ASSERT_EQ(run.callees.size(), 2u);
  EXPECT_EQ(run.callees[0].name, "work");
  EXPECT_EQ(run.callees[0].period, 60u);
  EXPECT_EQ(profile.queries.butterfly({}, "work").own, 60u);
}

TEST(ReportView, ShowsRowsAndOpensTheirChains) {
  Profile profile;
  ReportView view(profile.queries, profile.settings, 0);
  std::string picture = picture_of(view, 80, 14, true);
  EXPECT_TRUE(picture.starts_with("Samples: 3  of event 'cpu-clock', Event count (approx.): 100\n")) << picture;
  EXPECT_TRUE(picture.contains("70.00%      0.00%")) << picture;
  EXPECT_TRUE(picture.contains("+ ")) << picture;
  view.key(letter(U'E'));
  picture = picture_of(view, 80, 30, true);
  EXPECT_TRUE(picture.contains("60.00% work")) << picture;
  view.key(letter(U'C'));
  EXPECT_FALSE(picture_of(view, 80, 30, true).contains("60.00% work"));
}

TEST(ReportView, FollowsTheWayInAndOut) {
  Profile profile;
  ReportView view(profile.queries, profile.settings, 0);
  view.key(of(Key::Code::End));
  view.key(letter(U'd'));
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("all > libc"));
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Stay);
  EXPECT_FALSE(picture_of(view, 80, 14, true).contains("all >"));
  view.key(letter(U'u'));
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("all > libc"));
  view.key(letter(U'u'));
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Open);  // asks whether to quit
  EXPECT_EQ(view.key(letter(U'q')).kind, Answer::Kind::Quit);
}

TEST(ReportView, FindsWhileTypingAndTakesItBack) {
  Profile profile;
  ReportView view(profile.queries, profile.settings, 0);
  Answer prompt = view.key(letter(U'/'));
  ASSERT_EQ(prompt.kind, Answer::Kind::Open);
  prompt.view->key(letter(U'c'));
  prompt.view->key(letter(U'o'));
  std::string picture = picture_of(view, 80, 14, true);
  EXPECT_TRUE(picture.contains("copy") && !picture.contains("work")) << picture;
  EXPECT_EQ(prompt.view->key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("work"));
}

TEST(ReportView, NarrowScreensKeepRoomForSymbols) {
  Profile profile;
  ReportView view(profile.queries, profile.settings, 0);
  for (const unsigned width : {10u, 40u, 200u})
    for (const unsigned height : {1u, 2u, 5u}) EXPECT_FALSE(picture_of(view, width, height, true).empty());
}

TEST(FlameView, BoxesStandAboveTheirCallers) {
  Profile profile;
  FlameView view(profile.queries.flames({}));
  std::string picture = picture_of(view, 60, 12, true);
  EXPECT_LT(picture.find("[work"), picture.find("[main")) << picture;
  view.key(of(Key::Code::Up));
  view.key(of(Key::Code::Enter));
  picture = picture_of(view, 60, 12, true);
  EXPECT_TRUE(picture.starts_with("Flame graph: 30.00%") || picture.starts_with("Flame graph: 70.00%")) << picture;
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
}

TEST(TimelineView, ChoosesARange) {
  Profile profile;
  TimelineView view(profile.queries);
  EXPECT_TRUE(picture_of(view, 42, 12, true).contains("#"));
  view.key(letter(U' '));
  for (int i = 0; i < 9; ++i) view.key(of(Key::Code::Right));
  const Answer answer = view.key(of(Key::Code::Enter));
  EXPECT_EQ(answer.kind, Answer::Kind::Leave);
  EXPECT_EQ(answer.word, "time 0.000000000%-25.000000000%");
}

TEST(ButterflyView, GoesFromFunctionToFunction) {
  Profile profile;
  ButterflyView view(profile.queries, {}, "work");
  EXPECT_TRUE(picture_of(view, 80, 20, true).starts_with("Callers and callees of work"));
  view.key(of(Key::Code::Enter));
  EXPECT_TRUE(picture_of(view, 80, 20, true).starts_with("Callers and callees of run"));
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
}

TEST(HistQueries, RowsFallIntoThreads) {
  Profile profile;
  const BrowsePage& page = profile.queries.page({});
  for (const u32 row : page.rows) {
    const std::vector<NamedSum> parts = profile.queries.parts(row, Zoom::Kind::Thread);
    EXPECT_EQ(parts.empty(), page.table->sums(page.table->rows()[row]).samples == 0);
    EXPECT_TRUE(profile.queries.parts(row, Zoom::Kind::Socket).empty());  // not collected
  }
}

TEST(ReportView, SortsByAnEventOfAGroupThatIsThere) {
  Profile profile;
  ReportView view(profile.queries, profile.settings, 0);
  view.key(letter(U'1'));
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("not a group of events"));
  view.key(letter(U'0'));
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("by event 0"));
}

// Returns one more text at each refresh.
class Parts : public TextSource {
 public:
  explicit Parts(std::vector<std::string> parts) : parts_(std::move(parts)) {}
  int fd() const override { return 7; }
  bool read(std::string& text) override {
    if (parts_.empty()) return false;
    text += parts_.front();
    parts_.erase(parts_.begin());
    return true;
  }

 private:
  std::vector<std::string> parts_;
};

TEST(OutputView, ShowsTextAsItComes) {
  OutputView view("script", std::make_unique<Parts>(std::vector<std::string>{"one\ntw", "o\n\tthree"}));
  EXPECT_EQ(view.changed_fd(), 7);
  view.key({});
  std::string picture = picture_of(view, 60, 6, true);
  EXPECT_TRUE(picture.contains("1 line  running") && picture.contains("one")) << picture;
  view.key({});
  EXPECT_TRUE(picture_of(view, 60, 6, true).contains("\ntwo\n"));
  view.key({});  // the end
  picture = picture_of(view, 60, 6, true);
  EXPECT_TRUE(picture.contains("3 lines") && picture.contains("\n        three\n") && !picture.contains("running"))
      << picture;
  EXPECT_EQ(view.changed_fd(), -1);
  EXPECT_EQ(view.key(letter(U'q')).kind, Answer::Kind::Back);
}

TEST(ReportView, RunsScriptsOverChosenSamples) {
  Profile profile;
  std::vector<std::string> ran;
  profile.settings.scripts = [] {
    return std::vector<ScriptChoice>{{.title = "plain", .words = {}},
                                     {.title = "asking", .words = {"-s"}, .asks = true}};
  };
  profile.settings.run_script = [&](const std::vector<std::string>& words,
                                    const ScriptSamples& of) -> Result<std::unique_ptr<TextSource>> {
    ran = words;
    ran.push_back(of.comm + "/" + of.symbol);
    return std::make_unique<Parts>(std::vector<std::string>{});
  };
  ReportView view(profile.queries, profile.settings, 0);
  Answer menu = view.key(letter(U'r'));
  ASSERT_EQ(menu.kind, Answer::Kind::Open);
  EXPECT_EQ(menu.view->key(of(Key::Code::Enter)).kind, Answer::Kind::Swap);
  EXPECT_EQ(ran, (std::vector<std::string>{"/"}));
  menu.view->key(of(Key::Code::Down));
  Answer prompt = menu.view->key(of(Key::Code::Enter));
  ASSERT_EQ(prompt.kind, Answer::Kind::Swap);
  for (const char32_t c : std::u32string_view(U"a  b")) prompt.view->key(letter(c));
  EXPECT_EQ(prompt.view->key(of(Key::Code::Enter)).kind, Answer::Kind::Swap);
  EXPECT_EQ(ran, (std::vector<std::string>{"-s", "a", "b", "/"}));
}

TEST(MenuView, ChoosesByKeyAndMouse) {
  std::size_t chosen = 9;
  MenuView menu("Which", {"one", "two", "three"}, [&](std::size_t at) {
    chosen = at;
    return Answer{.kind = Answer::Kind::Back};
  });
  EXPECT_TRUE(picture_of(menu, 40, 9, true).contains("| two"));
  menu.key(of(Key::Code::Down));
  menu.key(of(Key::Code::Enter));
  EXPECT_EQ(chosen, 1u);
  menu.key({.code = Key::Code::Click, .x = 18, .y = 4});
  EXPECT_EQ(chosen, 1u);
  EXPECT_EQ(menu.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
}

}  // namespace
}  // namespace peregrine::tui
