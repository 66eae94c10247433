#include "event/config/callgraph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

// "MODE frames/bytes", followed by "deferred" if it is.
std::string callgraph_text(std::string_view words) {
  const auto request = parse_callgraph(words);
  if (!request) return request.error().message;
  constexpr std::string_view kModes[] = {"none", "fp", "dwarf", "lbr"};
  return fmt::format("{} {}/{}{}", kModes[static_cast<unsigned>(request->mode)], request->max_frames,
                     request->stack_bytes, request->deferred ? " deferred" : "");
}

TEST(CallGraphOption, NamesAWayAndItsSize) {
  EXPECT_EQ(callgraph_text("fp"), "fp 0/8192");
  EXPECT_EQ(callgraph_text("fp,32"), "fp 32/8192");
  EXPECT_EQ(callgraph_text("fp,65535"), "fp 65535/8192");
  EXPECT_EQ(callgraph_text("fp, defer"), "fp 0/8192 deferred");
  EXPECT_EQ(callgraph_text("lbr"), "lbr 0/8192");
  EXPECT_EQ(callgraph_text(" dwarf "), "dwarf 0/8192");
  EXPECT_EQ(callgraph_text("dwarf,16384"), "dwarf 0/16384");
  EXPECT_EQ(callgraph_text("dwarf,0x1000"), "dwarf 0/4096");
}

// The kernel accepts multiples of 8 below 64 KiB.
TEST(CallGraphOption, RoundsStacksUp) {
  EXPECT_EQ(callgraph_text("dwarf,1"), "dwarf 0/8");
  EXPECT_EQ(callgraph_text("dwarf,4097"), "dwarf 0/4104");
  EXPECT_EQ(callgraph_text("dwarf,65528"), "dwarf 0/65528");
  for (const char* size : {"0", "65529", "65536", "-8", "x", "", "18446744073709551615", "18446744073709551616"})
    EXPECT_EQ(callgraph_text(fmt::format("dwarf,{}", size)),
              fmt::format("callchain: Incorrect stack dump size (max 65528): {}", size));
}

TEST(CallGraphOption, RefusesOtherWords) {
  for (const char* words : {"", "none", "FP", "dwarf2", "fp;32"})
    EXPECT_EQ(callgraph_text(words), fmt::format("callchain: Unknown --call-graph option value: {}", words));
  for (const char* frames : {"0", "65536", "many", ""})
    EXPECT_EQ(callgraph_text(fmt::format("fp,{}", frames)),
              fmt::format("callchain: Unknown argument of --call-graph fp: {}", frames));
  EXPECT_EQ(callgraph_text("lbr,8"), "callchain: No more arguments needed for --call-graph lbr");
}

TEST(CallGraphOption, SaysWhatThereIs) {
  EXPECT_EQ(parse_callgraph("x").error().hint, "must be one of fp[,FRAMES|,defer], dwarf[,BYTES], lbr");
  EXPECT_EQ(parse_callgraph("fp,x").error().hint, "fp takes a number of frames (1 to 65535) or 'defer'");
  EXPECT_FALSE(CallgraphRequest().enabled());
  EXPECT_TRUE(parse_callgraph("fp")->enabled());
}

}  // namespace
}  // namespace peregrine
