#include "output/profile/folded_difference.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "output/profile/gzip.h"

namespace peregrine {
namespace {

// "load;main;sys" in both series, "load;main" only in the second.
StackProfile two_series() {
  return {.texts = {"", "all", "load", "main", "sys", "ma;in\n"},
          .frames = {{1, 0, CodeKind::All},
                     {2, 0, CodeKind::Comm},
                     {3, 0, CodeKind::Inlined},
                     {4, 0, CodeKind::Kernel},
                     {5, 0, CodeKind::Jit}},
          .stacks = {{0, 0}, {0, 1}, {1, 2}, {2, 3}, {1, 4}},
          .series = {{"after", {{3, 0, 1, 250}, {3, 5, 1, 60}}}, {"before", {{2, 0, 2, 20}, {3, 0, 3, 100}}}}};
}

std::string folded_difference(const StackProfile& profile, const FoldedDifference& request = {}) {
  Sink out;
  print_folded_difference(out, profile, request);
  return out.take();
}

TEST(FoldedDifference, HasALinePerStackOfEitherWithBothWeights) {
  EXPECT_EQ(folded_difference(two_series()), "load;main 20 0\nload;main;sys 100 310\n");
  EXPECT_EQ(folded_difference(two_series(), {.by_count = true}), "load;main 2 0\nload;main;sys 3 2\n")
      << "the slots of a stack are summed";
}

TEST(FoldedDifference, TheSeriesMayBeExchanged) {
  EXPECT_EQ(folded_difference(two_series(), {.before = 0, .after = 1}), "load;main 0 20\nload;main;sys 310 100\n");
}

TEST(FoldedDifference, MarksKindsOfCodeOnRequest) {
  StackProfile profile = two_series();
  profile.series[0].weights.push_back({4, 0, 1, 7});
  EXPECT_EQ(folded_difference(profile, {.mark_kernel = true, .mark_jit = true, .mark_inlined = true}),
            "load;ma:in\\x0a_[j] 0 7\nload;main_[i] 20 0\nload;main_[i];sys_[k] 100 310\n");
  EXPECT_EQ(folded_difference(profile, {.mark_kernel = true}),
            "load;ma:in\\x0a 0 7\nload;main 20 0\nload;main;sys_[k] 100 310\n")
      << "names stay one frame on one line";
}

TEST(FoldedDifference, WithoutSamplesThereAreNoLines) {
  StackProfile profile = two_series();
  for (StackSeries& series : profile.series) series.weights.clear();
  EXPECT_EQ(folded_difference(profile), "");
}

std::string gunzipped(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return "no stream";
  std::string input = bytes, text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int outcome = inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  if (stream.avail_in != 0) text = "bytes behind the end";
  inflateEnd(&stream);
  return outcome == Z_STREAM_END ? text : "damaged";
}

TEST(GzipWriter, PiecesAreOneMember) {
  Sink out;
  GzipWriter writer(out);
  std::string all;
  for (int i = 0; i < 50'000; ++i) {
    const std::string piece = std::to_string(i * 7919);
    writer.append(piece);
    all += piece;
  }
  writer.append("");
  writer.finish();
  const std::string bytes = out.take();
  EXPECT_LT(bytes.size(), all.size());
  EXPECT_EQ(gunzipped(bytes), all);
}

TEST(GzipWriter, NothingIsAnEmptyMember) {
  Sink out;
  GzipWriter writer(out);
  writer.finish();
  const std::string bytes = out.take();
  EXPECT_TRUE(bytes.starts_with("\x1f\x8b")) << "gzip's magic";
  EXPECT_EQ(gunzipped(bytes), "");
}

}  // namespace
}  // namespace peregrine
