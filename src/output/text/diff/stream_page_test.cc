#include "output/text/diff/stream_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/named_frames.h"

namespace peregrine {
namespace {

using support::NamedFrames;
using ::testing::EndsWith;
using ::testing::StartsWith;

std::string stream_page(NamedFrames& before, const std::vector<HotStream>& old_streams, NamedFrames& after,
                        const std::vector<HotStream>& new_streams) {
  const FaceTable old_faces = before.faces(), new_faces = after.faces();
  Sink out;
  print_streams(out, {old_streams, old_faces}, {new_streams, new_faces});
  return out.take();
}

constexpr std::string_view kOldTitle = "\n[ Hot streams in old perf data only ]\n";
constexpr std::string_view kNewTitle = "\n[ Hot streams in new perf data only ]\n";

TEST(StreamPage, SharedStreamsAreSideBySide) {
  NamedFrames before, after;
  after.function("new");  // different ids
  const std::vector<HotStream> was = {{.frames = {before.function("leaf", "l.c:1"), before.function("main", "m.c:2")},
                                       .period = 10,
                                       .share = 12.345,
                                       .cycles = 7}};
  const std::vector<HotStream> is = {{.frames = {after.function("leaf", "l.c:1"), after.function("main", "m.c:2")},
                                      .period = 20,
                                      .share = 50,
                                      .cycles = 1234}};
  EXPECT_EQ(stream_page(before, was, after, is),
            "[ Matched hot streams ]\n\n"
            "hot chain pair 1:\n"
            "            cycles: 7, hits: 12.35%\t         cycles: 1234, hits: 50.00%\n"
            "        ---------------------------\t         --------------------------\n"
            "                         leaf l.c:1\t                         leaf l.c:1\n"
            "                         main m.c:2\t                         main m.c:2\n" +
                std::string(kOldTitle) + std::string(kNewTitle));
}

TEST(StreamPage, StreamsOfOneRecordingAreInItsColumn) {
  NamedFrames before, after;
  const std::vector<HotStream> was = {{.frames = {before.function("gone")}, .period = 1, .share = 1, .cycles = 2}};
  const std::vector<HotStream> is = {{.frames = {after.function("added")}, .period = 1, .share = 3, .cycles = 4}};
  const std::string page = stream_page(before, was, after, is);
  EXPECT_THAT(page, StartsWith("[ Matched hot streams ]\n" + std::string(kOldTitle) +
                               "\nhot chain 1:\n"
                               "             cycles: 2, hits: 1.00%\n"
                               "         --------------------------\n"
                               "                               gone\n" +
                               std::string(kNewTitle)));
  const std::string blank = std::string(35, ' ') + "\t";
  EXPECT_THAT(page,
              EndsWith("\nhot chain 1:\n" + blank + "             cycles: 4, hits: 3.00%\n" + blank +
                       "         --------------------------\n" + blank + "                              added\n"));
}

// The same address in two recordings may be different code.
TEST(StreamPage, AddressesDoNotMatch) {
  NamedFrames before, after;
  const std::vector<HotStream> was = {{.frames = {before.address(0x401010)}, .period = 1}};
  const std::vector<HotStream> is = {{.frames = {after.address(0x401010)}, .period = 1}};
  EXPECT_THAT(stream_page(before, was, after, is),
              StartsWith("[ Matched hot streams ]\n" + std::string(kOldTitle) + "\nhot"));
}

TEST(StreamPage, WithoutStreamsOnlyTheTitlesAreLeft) {
  NamedFrames none;
  EXPECT_EQ(stream_page(none, {}, none, {}),
            "[ Matched hot streams ]\n" + std::string(kOldTitle) + std::string(kNewTitle));
}

}  // namespace
}  // namespace peregrine
