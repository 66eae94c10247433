#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "output/sink.h"
#include "output/text/access/sharing_text.h"

namespace peregrine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string shared_statistics(const std::vector<SharedLine>& lines, const SharingLook& look) {
  Sink out;
  print_shared_statistics(lines, look, out);
  return out.take();
}

std::string access_statistics(const AccessCounts& counts) {
  Sink out;
  print_access_statistics(counts, out);
  return out.take();
}

TEST(AccessStatistics, SharesAreOfTheMissesOfTheLastCache) {
  AccessCounts counts;
  counts.records = 20;
  counts.llc = 3;
  counts.local_hitm = 2;
  counts.local_dram = 1;
  counts.remote_dram = 2;
  counts.remote_hit = 5;
  const std::string text = access_statistics(counts);
  EXPECT_THAT(text, StartsWith("=================================================\n            Trace Event Information "
                               "             \n=================================================\n"
                               "  Total records                     :         20\n"));
  EXPECT_THAT(text, HasSubstr("  Load LLC hit                      :          5\n")) << "a modified line is a hit, too";
  EXPECT_THAT(text, HasSubstr("  Load LLC Misses                   :          8\n"));
  EXPECT_THAT(text, HasSubstr("  LLC Misses to Local DRAM          :       12.5%\n"
                              "  LLC Misses to Remote DRAM         :       25.0%\n"
                              "  LLC Misses to Remote cache (HIT)  :       62.5%\n"
                              "  LLC Misses to Remote cache (HITM) :        0.0%\n"));
}

TEST(AccessStatistics, WithoutAccessesSharesAreZero) {
  const std::string text = access_statistics({});
  EXPECT_THAT(text, HasSubstr("  LLC Misses to Local DRAM          :        0.0%\n"));
  EXPECT_THAT(text, EndsWith("  Unable to parse data source       :          0\n"));
}

TEST(SharedStatistics, OnlyLinesThatCpusContendForCount) {
  SharedLine contended, calm, peer;
  contended.counts.loads = 7;
  contended.counts.stores = 4;
  contended.counts.local_hitm = 2;
  contended.counts.remote_hitm = 1;
  calm.counts.loads = 100;
  peer.counts.loads = 30;
  peer.counts.local_peer = 6;
  SharingLook look{.grouping = "offset,iaddr", .events = {"cpu/mem-loads/", "evil\x1b"}};
  const std::string text = shared_statistics({contended, calm, peer}, look);
  EXPECT_THAT(text, HasSubstr("  Total Shared Cache Lines          :          1\n"
                              "  Load HITs on shared lines         :          7\n"));
  EXPECT_THAT(text, HasSubstr("  LLC hits on shared lines          :          2\n"));
  EXPECT_THAT(text, HasSubstr("  Total Merged records              :          7\n"));
  EXPECT_THAT(text, EndsWith("  Events                            : cpu/mem-loads/\n"
                             "                                    : evil\\x1b\n"
                             "  Cachelines sort on                : Total HITMs\n"
                             "  Cacheline data grouping           : offset,iaddr\n"));
  look.order = SharingOrder::Peer;
  const std::string by_peer = shared_statistics({contended, calm, peer}, look);
  EXPECT_THAT(by_peer, HasSubstr("  Load HITs on shared lines         :         30\n"));
  EXPECT_THAT(by_peer, HasSubstr("  Load hits on peer cache or nodes  :          6\n"));
  EXPECT_THAT(by_peer, HasSubstr("  Cachelines sort on                : Peer Snoop\n"));
}

TEST(SharedStatistics, WithoutLinesAllIsZero) {
  EXPECT_THAT(shared_statistics({}, {}), HasSubstr("  Total Shared Cache Lines          :          0\n"));
}

}  // namespace
}  // namespace peregrine
