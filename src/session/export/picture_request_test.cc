#include "session/export/picture_request.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(PictureRequest, NamesTheFirstFileThatIsWritten) {
  PictureRequest request{.flame_graph = "flame.svg"};
  EXPECT_EQ(request.file("rows.csv"), "flame.svg");
  request.html = "-";
  EXPECT_EQ(request.file("rows.csv"), "flame.svg") << "standard output is no file";
  request.heat_map = "heat.html";
  EXPECT_EQ(request.file("rows.csv"), "heat.html");
  EXPECT_EQ(PictureRequest().file("rows.csv"), "rows.csv");
  EXPECT_EQ(PictureRequest().file("-"), "");
}

TEST(PictureRequest, NeedsTimesForPagesAndCharts) {
  EXPECT_FALSE(PictureRequest{.flame_graph = "flame.svg"}.timed());
  EXPECT_TRUE((PictureRequest{.flame_graph = "flame.svg", .chart = true}.timed()));
  EXPECT_TRUE(PictureRequest{.html = "page.html"}.timed());
  EXPECT_FALSE(PictureRequest{.chart = true}.any()) << "nothing to draw";
}

TEST(PeriodUnit, IsNanosecondsForClocksAndWaits) {
  EXPECT_EQ(period_unit("cpu-clock:u"), "ns");
  EXPECT_EQ(period_unit("offcpu-time"), "ns");
  EXPECT_EQ(period_unit("duration_time"), "ns");
  EXPECT_EQ(period_unit("cycles"), "events");
}

}  // namespace
}  // namespace peregrine
