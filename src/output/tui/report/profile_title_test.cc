// The title above a profile's rows, and the text shown if there are no rows.
#include "output/tui/report/profile_title.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/hist/entry/hists.h"
#include "output/tui/report/browser.h"
#include "output/tui/report/report_view.h"
#include "output/tui/report/test_profile.h"

namespace peregrine::tui {
namespace {

// A profile with events but without samples.
struct EmptyProfile : Profile {
  EmptyProfile() { queries.show(empty); }
  Hists empty{3};
};

TEST(EmptyReport, SaysThatThereAreNoSamples) {
  EmptyProfile profile;
  ReportView rows(profile.queries, profile.settings, 0);
  EXPECT_TRUE(picture_of(rows, 80, 14, true).contains("    The recording has no samples!\n"));
  profile.settings.recording = "x.data";
  profile.settings.filter = "main";
  ReportView filtered(profile.queries, profile.settings, 0);
  EXPECT_TRUE(picture_of(filtered, 80, 14, true).contains("    The x.data data has no samples!\n"));
  profile.settings.live = true;
  EXPECT_TRUE(picture_of(filtered, 80, 14, true).contains("    No samples yet.\n"));
}

TEST(EmptyReport, SaysNothingWhileSamplesAreRead) {
  EmptyProfile profile;
  profile.queries.set_progress({.complete = false});
  ReportView view(profile.queries, profile.settings, 0);
  const std::string picture = picture_of(view, 80, 14, true);
  EXPECT_FALSE(picture.contains("no samples") || picture.contains("No rows")) << picture;
}

TEST(EmptyReport, SaysThatTheLimitHidesAllRows) {
  Profile profile;
  profile.settings.percent_limit = 80;
  ReportView view(profile.queries, profile.settings, 0);
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("    No row has 80% or more: L changes the minimum.\n"));
}

TEST(ReportTitle, OmitsTheEventCountOnNarrowScreens) {
  Profile profile;
  ReportView view(profile.queries, profile.settings, 0);
  EXPECT_TRUE(picture_of(view, 59, 14, true).starts_with("Samples: 3  of event 'cpu-clock'\n"));
}

TEST(PartialReport, SaysHowMuchIsRead) {
  Profile profile;
  profile.queries.set_progress({.complete = false, .share = 0.425});
  ReportView view(profile.queries, profile.settings, 0);
  EXPECT_TRUE(picture_of(view, 120, 14, true).contains(": 100  [partial: 42% read]\n"))
      << picture_of(view, 120, 14, true);
  EXPECT_TRUE(picture_of(view, 30, 14, true).starts_with("Samples:  [partial: 42% read]\n"))
      << "a narrow screen loses the title";
}

}  // namespace
}  // namespace peregrine::tui
