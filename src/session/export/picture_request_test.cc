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

TEST(PictureRequest, RejectsOptionsInPlaceOfFiles) {
  const auto refused = check_picture_files({.html = "-o"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--html requires a file name, found '-o'");
  EXPECT_EQ(refused.error().hint, "write --html FILE; for a file of this name, write --html ./-o");
  EXPECT_FALSE(check_picture_files({.flame_graph = "--title"}));
  EXPECT_FALSE(check_picture_files({.heat_map = "-g"}));
  EXPECT_TRUE(check_picture_files({.flame_graph = "-", .html = "./-o"}));
}

TEST(PictureRequest, RejectsTheSuffixOfAnotherKindOfFile) {
  const auto refused = check_picture_files({.heat_map = "h.svg"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--heatmap writes an HTML page, not 'h.svg'");
  EXPECT_EQ(refused.error().hint, "name it h.html");
  EXPECT_EQ(check_picture_files({.flame_graph = "f.html"}).error().message, "--flamegraph writes an SVG, not 'f.html'");
  EXPECT_TRUE(check_picture_files({.flame_graph = "f.svg", .html = "page", .heat_map = "h.html"}));
  EXPECT_TRUE(check_picture_file("--heatmap", "pairs.svg", ".svg"));
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
