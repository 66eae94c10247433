// The key loop over a profile, on a screen in memory.
#include "output/tui/report/browser.h"

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/browse/hist_queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/tui/report/page_text.h"
#include "output/tui/report/report_view.h"
#include "output/tui/report/test_profile.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/test_keys.h"
#include "output/tui/screen/test_screen.h"

namespace peregrine::tui {
namespace {

// Two events with the same stacks: `cycles` with three samples, `faults` with one more.
struct TwoEvents : Profile {
  TwoEvents() : two(options(), words) { two.show(hists); }
  static BrowseOptions options() {
    BrowseOptions options = Profile::options();
    options.tables = {{0}, {1}};
    options.names = {"cycles", "faults"};
    return options;
  }
  HistQueries two;
};

TEST(Browser, ShowsTheRowsUntilTheUserLeaves) {
  Profile profile;
  profile.queries.set_header([] { return "hostname : here"; });
  TestScreen screen(80, 12, {letter(U'i'), of(Key::Code::Escape), letter(U'q'), letter(U'i')});
  Browser browser(screen, profile.queries, profile.settings, {});
  EXPECT_EQ(browser.run(), "");
  ASSERT_EQ(screen.pictures.size(), 3u) << "nothing is drawn after the end";
  EXPECT_TRUE(screen.pictures[0].starts_with("Samples: 3"));
  EXPECT_TRUE(screen.pictures[1].contains("| hostname : here ") && screen.pictures[1].starts_with("Samples: 3"))
      << "a popup is drawn over the view below";
  EXPECT_EQ(screen.pictures[2], screen.pictures[0]);
  EXPECT_EQ(screen.waits[0].first, -1) << "a recording does not change";
}

TEST(Browser, EndsWhenTheTerminalIsGone) {
  Profile profile;
  TestScreen screen(80, 12, {});
  EXPECT_EQ(Browser(screen, profile.queries, profile.settings, {}).run(), "");
  EXPECT_EQ(screen.pictures.size(), 1u);
}

TEST(Browser, ReturnsWhatTheLeavingViewWants) {
  Profile profile;
  profile.settings.files = [] { return std::vector<std::string>{"other.data"}; };
  TestScreen screen(80, 12, {letter(U's'), of(Key::Code::Enter)});
  EXPECT_EQ(Browser(screen, profile.queries, profile.settings, {}).run(), "open other.data");
}

TEST(Browser, TheSettingsChooseTheView) {
  const auto shown = [](bool tree, bool blocks) {
    Profile profile;
    profile.settings.tree = tree;
    profile.settings.blocks = blocks;
    TestScreen screen(90, 12, {});
    Browser(screen, profile.queries, profile.settings, {}).run();
    return screen.last();
  };
  EXPECT_TRUE(shown(false, false).contains("Children"));
  EXPECT_TRUE(shown(true, false).contains("Command / Shared Object / Symbol"));
  EXPECT_TRUE(shown(false, true).contains("Cycles%"));
}

TEST(Browser, AsksWhichEvent) {
  TwoEvents events;
  events.hists.totals(1) = {.samples = 4, .period = 7};
  TestScreen screen(80, 12, {of(Key::Code::Enter), of(Key::Code::Escape), of(Key::Code::Escape)});
  Browser(screen, events.two, events.settings, {}).run();
  ASSERT_EQ(screen.pictures.size(), 3u);
  EXPECT_TRUE(screen.pictures[0].contains("|    4   faults ") && screen.pictures[0].contains("|    3   cycles "))
      << screen.pictures[0];
  EXPECT_LT(screen.pictures[0].find("faults"), screen.pictures[0].find("cycles")) << "most samples first";
  EXPECT_TRUE(screen.pictures[1].contains("event 'faults'"));
  EXPECT_EQ(screen.pictures[2], screen.pictures[0]) << "back to the choice, without a question";
}

TEST(Browser, EventsWithoutSamplesAreNotOffered) {
  TwoEvents events;
  TestScreen screen(80, 12, {});
  Browser(screen, events.two, events.settings, {}).run();
  EXPECT_TRUE(screen.last().contains("event 'cycles'"));
}

TEST(Browser, ALiveProfileWaitsForTheFirstSamples) {
  TwoEvents events;
  Hists empty(3);
  events.two.show(empty);
  TestScreen screen(80, 12, {{}, {}, letter(U'q')});
  unsigned rounds = 0;
  const BrowserHooks hooks{.calm = [] { return 250; },
                           .changed_fd = 9,
                           .changed =
                               [&] {
                                 if (++rounds != 2) return false;
                                 empty.totals(1) = {.samples = 1, .period = 1};  // the second event gets some samples
                                 events.two.show(empty);
                                 return true;
                               }};
  Browser(screen, events.two, events.settings, hooks).run();
  ASSERT_EQ(screen.pictures.size(), 2u) << "nothing is drawn again without a change";
  EXPECT_TRUE(screen.pictures[0].contains("event 'cycles'"));
  EXPECT_TRUE(screen.pictures[1].contains("event 'faults'"));
  EXPECT_EQ(screen.waits[0], (std::pair{250, std::vector<int>{9}}));
}

TEST(Browser, QueriesRunUnderTheOwnersLock) {
  Profile profile;
  TestScreen screen(80, 12, {of(Key::Code::Down), letter(U'q')});
  bool locked = false, drawn_unlocked = false;
  screen.before_key = [&] { drawn_unlocked = drawn_unlocked || locked; };
  unsigned times = 0;
  const BrowserHooks hooks{.locked = [&](const std::function<void()>& act) {
    locked = true;
    ++times;
    act();
    locked = false;
  }};
  Browser(screen, profile.queries, profile.settings, hooks).run();
  EXPECT_EQ(times, 3u);  // the initial picture, and one per key
  EXPECT_FALSE(drawn_unlocked) << "nobody holds the lock while the screen waits";
}

TEST(Browser, EndsWhenTheOwnerSaysSo) {
  Profile profile;
  TestScreen screen(80, 12, {{}, {}, {}});
  unsigned asked = 0;
  Browser(screen, profile.queries, profile.settings, {.over = [&] { return ++asked == 2; }}).run();
  EXPECT_EQ(screen.waits.size(), 2u);
}

TEST(Browser, BeginsWithTheCodeOfAFunction) {
  Profile profile;
  profile.queries.set_code([](const HistFrame&, const std::vector<u32>&) -> Result<AnnotatedCode> {
    AnnotatedCode code;
    code.listing.symbol = "work";
    code.hits.events = {{}};
    code.totals = {{}};
    code.events = {0};
    return code;
  });
  TestScreen screen(80, 12, {of(Key::Code::Escape)});
  Browser browser(screen, profile.queries, profile.settings, {});
  browser.show_first("work");
  browser.run();
  EXPECT_TRUE(screen.pictures[0].starts_with("work  ")) << screen.pictures[0];
  EXPECT_TRUE(screen.pictures[1].starts_with("Samples: 3")) << "the rows are below";
}

TEST(Browser, SaysThatTheFunctionHasNoCode) {
  const auto shown = [](const char* symbol) {
    Profile profile;
    profile.queries.set_code([](const HistFrame&, const std::vector<u32>&) -> Result<AnnotatedCode> {
      return std::unexpected(Error{ErrorKind::NotFound, "prog is gone", "build it again"});
    });
    TestScreen screen(80, 12, {});
    Browser browser(screen, profile.queries, profile.settings, {});
    browser.show_first(symbol);
    browser.run();
    return screen.last();
  };
  EXPECT_TRUE(shown("work").contains("| build it again |"));
  EXPECT_TRUE(shown("nothing").contains("| no samples in 'nothing' so far |"));
}

TEST(PageText, IsOneLineForEachRow) {
  Profile profile;
  Sink out;
  print_page(out, profile.queries.page({.filter = "co"}));
  EXPECT_EQ(out.take(),
            "# 1 sample, 100% is 100\n"
            "   30.00%   30.00%  cat  libc  [.] copy\n");
}

// The row menu of a function; its lines do the same as their keys.
class RowMenuTest : public ::testing::Test {
 protected:
  // Opens the menu of the row that is `down` lines below the first.
  std::unique_ptr<View> menu(unsigned down) {
    view_.key(of(Key::Code::Home));
    for (; down > 0; --down) view_.key(of(Key::Code::Down));
    return view_.key(of(Key::Code::Enter)).view;
  }
  // Chooses the line with this text.
  static Answer choose(View& menu, std::string_view text) {
    for (int i = 0; i < 20; ++i) {
      Canvas canvas(90, 24, true);
      menu.draw(canvas);
      for (unsigned y = 0; y < 24; ++y) {
        std::string line;
        for (unsigned x = 0; x < 90; ++x)
          if (canvas.at(x, y).style == Style::BoxSelected) append_utf8(line, canvas.at(x, y).glyph);
        if (line.contains(text)) return menu.key(of(Key::Code::Enter));
      }
      menu.key(of(Key::Code::Down));
    }
    ADD_FAILURE() << "no line has " << text;
    return {};
  }

  Profile profile_;
  ReportView view_{profile_.queries, profile_.settings, 0};
};

TEST_F(RowMenuTest, OffersWhatCanBeDoneWithARow) {
  EXPECT_EQ(picture_of(*menu(2), 70, 13, true),
            " +- work ----------------------------------------------------------+\n"
            " | Annotate work                                                   |\n"
            " | Zoom into thread (same as 't')                                  |\n"
            " | Zoom into prog (same as 'd')                                    |\n"
            " | Zoom into samples through work (same as 'Z')                    |\n"
            " | Open [work] callchain (one level, same as '+'; whole: 'e', 'c') |\n"
            " | Callers and callees of work (same as 'b')                       |\n"
            " | Flame graph (same as 'G')                                       |\n"
            " | Browse map details                                              |\n"
            " | Filter rows (same as '/')                                       |\n"
            " | Exit                                                            |\n"
            " +-----------------------------------------------------------------+\n"
            "\n");
}

TEST_F(RowMenuTest, OffersWhatItsOwnerCanDo) {
  profile_.settings.files = [] { return std::vector<std::string>{"other"}; };
  profile_.settings.scripts = [] { return std::vector<ScriptChoice>{{.title = "plain", .words = {}}}; };
  const std::string all = picture_of(*menu(2), 90, 24, true);
  for (const char* line : {"Switch to another recording", "Run scripts for samples of bash",
                           "Run scripts for samples of work", "Run scripts for all samples"})
    EXPECT_TRUE(all.contains(line)) << all;
}

TEST_F(RowMenuTest, LinesAnswerAndCloseTheMenu) {
  profile_.queries.set_dsos([](u32) { return "prog is mapped here"; });
  const Answer map = choose(*menu(2), "map details");
  EXPECT_EQ(map.kind, Answer::Kind::Swap);
  EXPECT_TRUE(picture_of(*map.view, 60, 9, true).contains("prog is mapped here"));
  EXPECT_EQ(choose(*menu(2), "Callers and callees").kind, Answer::Kind::Swap);
  EXPECT_EQ(choose(*menu(2), "Zoom into prog").kind, Answer::Kind::Back);
  EXPECT_TRUE(picture_of(view_, 80, 9, true).contains("\nall > prog\n"));
  EXPECT_EQ(choose(*menu(0), "Exit").kind, Answer::Kind::Quit);
}

TEST_F(RowMenuTest, FoldsAnOpenChain) {
  EXPECT_EQ(choose(*menu(2), "Open [work]").kind, Answer::Kind::Back);
  EXPECT_EQ(choose(*menu(2), "Fold [work]").kind, Answer::Kind::Back);
  EXPECT_TRUE(picture_of(*menu(2), 90, 20, true).contains("Open [work]"));
}

}  // namespace
}  // namespace peregrine::tui
