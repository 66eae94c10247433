// `kmem stat` on a small recording: from its arguments to the tables or the error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "cli/frame/config.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr u64 kFirstCaller = 0xffffffff81000100, kSecondCaller = 0xffffffff81000200;

// The first caller allocates 2 × 16 bytes, half of which are wasted; the second allocates 4,096 bytes, which are freed.
support::TracepointRecording slab_recording() {
  support::TracepointRecording recording;
  recording.event("kmem:kmalloc", {"call_site", "ptr", "bytes_req", "bytes_alloc", "gfp_flags"});
  recording.event("kmem:kfree", {"call_site", "ptr"});
  recording.hit("kmem:kmalloc", {.time = 1'000}, {kFirstCaller, 0x1000, 8, 16, 0});
  recording.hit("kmem:kmalloc", {.time = 2'000}, {kFirstCaller, 0x2000, 8, 16, 0});
  recording.hit("kmem:kmalloc", {.time = 3'000}, {kSecondCaller, 0x3000, 4096, 4096, 0});
  recording.hit("kmem:kfree", {.time = 4'000}, {kSecondCaller, 0x3000});
  return recording;
}

class KmemCommand : public ::testing::Test {
 protected:
  Called memory(std::vector<std::string> arguments, Config config = {}) {
    arguments.insert(arguments.end(), {"-i", path_, "--raw-ip"});
    return called(kKmem, std::move(arguments), std::move(config));
  }
  // The first cells of the rows of the tables.
  std::vector<std::string> rows(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "stat");
    const Called call = memory(std::move(arguments));
    EXPECT_EQ(call.error.message, "");
    std::vector<std::string> cells;
    for (std::size_t at = 0; (at = call.printed.find("\n 0x", at)) != std::string::npos; ++at)
      cells.push_back(call.printed.substr(at + 2, call.printed.find(' ', at + 2) - at - 2));
    return cells;
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, slab_recording());
};

TEST_F(KmemCommand, WithoutTablesOnlyTheTotalsAreShown) {
  const Called call = memory({"stat"});
  EXPECT_EQ(call.code, 0) << call.error.message;
  EXPECT_THAT(call.printed, HasSubstr("SUMMARY (SLAB allocator)\n"
                                      "========================\n"
                                      "Total bytes requested: 4112\n"
                                      "Total bytes allocated: 4128\n"
                                      "Total bytes freed:     4096\n"
                                      "Net total bytes allocated: 32\n"
                                      "Total bytes wasted on internal fragmentation: 16\n"));
  EXPECT_THAT(rows({}), IsEmpty());
}

TEST_F(KmemCommand, TablesAreSortedByWasteUnlessSaid) {
  EXPECT_THAT(rows({"--caller"}), ElementsAre("0xffffffff81000100", "0xffffffff81000200"));
  EXPECT_THAT(rows({"--caller", "-s", "bytes"}), ElementsAre("0xffffffff81000200", "0xffffffff81000100"));
  EXPECT_THAT(rows({"--caller", "-s", "bytes", "--no-sort"}), ElementsAre("0xffffffff81000100", "0xffffffff81000200"));
  EXPECT_THAT(rows({"--alloc", "-s", "ptr"}), ElementsAre("0x3000", "0x2000", "0x1000"));
}

TEST_F(KmemCommand, LinesAndKeysBelongToTheTableBeforeThem) {
  EXPECT_THAT(rows({"--caller", "-l", "1", "--alloc", "-s", "bytes", "-l", "1"}),
              ElementsAre("0xffffffff81000100", "0x3000"));
  EXPECT_THAT(rows({"--alloc", "-l", "1", "--caller"}),
              ElementsAre("0xffffffff81000100", "0xffffffff81000200", ::testing::_))
      << "callers are printed first, whatever the order of the options";
  EXPECT_THAT(rows({"-l", "1", "--caller"}), ElementsAre("0xffffffff81000100")) << "without a table: callers";
  EXPECT_THAT(rows({"--caller", "-l", "1", "--no-line"}), ::testing::SizeIs(2));
  EXPECT_THAT(rows({"--caller", "--no-caller"}), IsEmpty());
}

TEST_F(KmemCommand, TimesLimitWhatIsCounted) {
  EXPECT_THAT(memory({"stat", "--time", "0.0000015,0.0000025"}).printed, HasSubstr("Total bytes allocated: 16\n"));
}

TEST_F(KmemCommand, OptionsMayPrecedeThePart) {
  const Called call = memory({"--caller", "-l", "1", "stat"});
  EXPECT_THAT(call.printed, HasSubstr(" 0xffffffff81000100 "));
  EXPECT_THAT(call.printed, Not(HasSubstr(" 0xffffffff81000200 ")));
}

TEST_F(KmemCommand, SidesWithoutEventsAreReported) {
  const Called pages = memory({"stat", "--page"});
  EXPECT_EQ(pages.code, 255);
  EXPECT_THAT(pages.said, HasSubstr("No page allocation events found.  Have you run 'perf kmem record --page'?"));
  EXPECT_EQ(pages.printed, "");
  const Called both = memory({"stat", "--page", "--slab"});
  EXPECT_EQ(both.code, 255);
  EXPECT_THAT(both.printed, HasSubstr("SUMMARY (SLAB allocator)")) << "the other side is shown";
}

TEST_F(KmemCommand, PerfconfigNamesTheUsualSide) {
  EXPECT_EQ(memory({"stat"}, Config::of({}, {{"kmem.default", "slab"}})).code, 0);
  EXPECT_EQ(memory({"stat"}, Config::of({}, {{"kmem.default", "page"}})).code, 255);
  EXPECT_EQ(memory({"stat", "--slab"}, Config::of({}, {{"kmem.default", "page"}})).code, 0) << "an option wins";
  EXPECT_EQ(memory({"stat"}, Config::of({}, {{"kmem.default", "heap"}})).error.message,
            "invalid kmem.default 'heap': must be slab or page");
  EXPECT_EQ(memory({"stat", "--page"}, Config::of({}, {{"kmem.default", "heap"}})).error.message, "")
      << "where nobody reads it";
}

TEST_F(KmemCommand, KeysAndLinesAreChecked) {
  for (const char* wrong : {"", "x", "-1", "1,2", "1-3"})
    EXPECT_EQ(misuse_of(kKmem, {"stat", "-l", wrong}),
              std::string("invalid -l '") + wrong + "': must be a number of lines");
  EXPECT_THAT(misuse_of(kKmem, {"stat", "-s", "order"}), HasSubstr("order")) << "a key of pages";
  EXPECT_THAT(misuse_of(kKmem, {"stat", "--page", "-s", "frag"}), HasSubstr("frag")) << "a key of slabs";
  EXPECT_THAT(misuse_of(kKmem, {"stat", "--page", "--slab", "-s", "migtype"}), HasSubstr("migtype"))
      << "the side that was named last";
}

}  // namespace
}  // namespace peregrine::cmd
