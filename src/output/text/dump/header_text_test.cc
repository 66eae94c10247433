#include "output/text/dump/header_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "abi/attr.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"

namespace peregrine {
namespace {

using data::FeatureId;

data::Header header_with(std::initializer_list<FeatureId> present) {
  data::Header header;
  header.data_offset = 424;
  header.data_size = 1000;
  header.feature_offset = 1424;
  for (const FeatureId id : present) header.present.push_back(static_cast<u32>(id));
  return header;
}

std::string text_of(const data::Header& header, const data::Evlist& evlist = data::Evlist(), bool full = false) {
  Sink out;
  print_header(header, evlist, full, out);
  return out.take();
}

TEST(HeaderText, FramesTheFeaturesOfAFileAndNamesTheMissing) {
  data::Header header = header_with({FeatureId::Hostname, FeatureId::NrCpus, FeatureId::Cmdline});
  header.features.hostname = "here";
  header.features.cpus = data::CpuCount{4, 2};
  header.features.cmdline = {"perf", "record", "it's"};
  const std::string text = text_of(header);
  EXPECT_THAT(text, ::testing::StartsWith("# ========\n# captured on    : "));
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "\n# header version : 1\n# data offset    : 424\n# data size      : 1000\n"
                        "# feat offset    : 1424\n# hostname : here\n# nrcpus online : 2\n# nrcpus avail : 4\n"
                        "# cmdline : perf record it\\'s \n# missing features: TRACING_DATA BUILD_ID OSRELEASE "));
  EXPECT_THAT(text, ::testing::EndsWith(" PMU_CAPS \n# ========\n#\n"));
}

TEST(HeaderText, PutsTheFeaturesOfAPipeBelowTheFrame) {
  data::Header header = header_with({FeatureId::Arch});
  header.layout = data::Layout::Pipe;
  header.features.arch = "x86_64";
  EXPECT_THAT(text_of(header),
              ::testing::EndsWith("# data offset    : 0\n# data size      : 0\n# feat offset    : 0\n# ========\n#\n"
                                  "# arch : x86_64\n"));
}

TEST(HeaderText, ShowsTopologiesOnlyWhenAskedFor) {
  data::Header header = header_with({FeatureId::CpuTopology, FeatureId::Cache, FeatureId::MemTopology});
  header.features.cpu_topology = data::CpuTopology{{"0-1"}, {"0", "1"}, {}, {{0, 0, -1}, {1, 0, -1}}, false};
  header.features.memory_topology = data::MemoryTopology{1, 1 << 27, {{0, 70, {~0ull, 0x3e}}}};
  header.features.caches = {data::CacheLevel{1, 64, 64, 8, "Data", "48K", "0"}};
  EXPECT_THAT(text_of(header), ::testing::HasSubstr("# CPU_TOPOLOGY info available, use -I to display\n"
                                                    "# CACHE info available, use -I to display\n"));
  EXPECT_THAT(text_of(header, data::Evlist(), true),
              ::testing::AllOf(
                  ::testing::HasSubstr("# sibling sockets : 0-1\n# sibling threads : 0\n# sibling threads : 1\n"
                                       "# CPU 0: Core ID 0, Socket ID 0\n# CPU 1: Core ID 1, Socket ID 0\n"),
                  ::testing::HasSubstr("#  L1 Data                 48K [0]\n"),
                  ::testing::HasSubstr("# memory nodes (nr 1, block size 0x8000000):\n#    0 [8G]: 0-63,65-69\n")));
}

TEST(HeaderText, DescribesEventsGroupsAndTimes) {
  data::Header header = header_with({FeatureId::EventDesc, FeatureId::GroupDesc, FeatureId::SampleTime});
  abi::EventAttr attr;
  attr.type = 1;
  header.features.event_desc = {data::EventDescription{attr, "cpu-clock", {5, 6}}};
  header.features.sample_times = data::SampleTimes{986963767000, 997048381000};
  data::Evlist evlist;
  for (const char* name : {"cycles", "instructions"}) {
    data::Event event;
    event.name = name;
    evlist.add(event);
  }
  evlist.set_group(0, 2, "");
  EXPECT_THAT(text_of(header, evlist),
              ::testing::HasSubstr(
                  "# event : name = cpu-clock, , id = { 5, 6 }, type = 1, size = 128\n# group: {cycles,instructions}\n"
                  "# time of first sample : 986.963767\n# time of last sample : 997.048381\n"
                  "# sample duration :  10084.614 ms\n"));
}

// Escape sequences in a hostile recording must not reach the terminal.
TEST(HeaderText, MakesNamesPrintable) {
  data::Header header = header_with({FeatureId::Hostname});
  header.features.hostname = "\x1b[31mred";
  EXPECT_THAT(text_of(header), ::testing::HasSubstr("# hostname : \\x1b[31mred\n"));
}

}  // namespace
}  // namespace peregrine
