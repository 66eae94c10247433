// Histograms of hist triggers as tables.
#include "session/ftrace/event_histogram.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/temporary_folder.h"
#include "sys/root.h"

namespace peregrine {
namespace {

std::string table(std::string_view text) {
  Sink out;
  print_event_histogram(parse_event_histogram(text), "kmem/kmalloc", out);
  return std::string(out.text());
}

TEST(EventHistogram, HasARowPerKey) {
  EXPECT_EQ(table("# event histogram\n#\n# trigger info: hist:keys=pid,comm:vals=hitcount,bytes_req [active]\n#\n\n"
                  "{ pid:       1234, comm: my, name } hitcount:          3  bytes_req:         96\n"
                  "{ pid:         12, comm: cat } hitcount:         10  bytes_req:          8\n\n"
                  "Totals:\n    Hits: 13\n    Entries: 2\n    Dropped: 1\n"),
            "\nkmem/kmalloc: 13 hits in 2 rows, 1 not counted: the histogram is full\n"
            "hitcount  bytes_req  pid   comm\n"
            "       3         96  1234  my, name\n"
            "      10          8  12    cat\n");
}

TEST(EventHistogram, StacksAreOneCell) {
  EXPECT_EQ(table("{ common_stacktrace:\n         kmalloc+0x1\n         alloc_fd+0x2\n} hitcount:          1\n\n"
                  "Totals:\n    Hits: 1\n"),
            "\nkmem/kmalloc: 1 hit in 1 row\n"
            "hitcount  common_stacktrace\n"
            "       1  kmalloc+0x1 < alloc_fd+0x2\n");
}

TEST(EventHistogram, KeysMayContainBraces) {
  EXPECT_EQ(
      table("{ comm: a}b, pid: 7 } hitcount:          3  len: 4\n{ comm: } hitcount: 1, pid: 8 } hitcount: 2  len: 5\n"
            "{ comm: c}d, common_stacktrace:\n         kmalloc+0x1\n} hitcount: 1  len: 6\n"),
      "\nkmem/kmalloc: 0 hits in 3 rows\n"
      "hitcount  len  comm           pid\n"
      "       3    4  a}b            7\n"
      "       2    5  } hitcount: 1  8\n"
      "       1    6  c}d            kmalloc+0x1\n");
}

TEST(EventHistogram, KeysMayContainNamesOfKeys) {
  EXPECT_EQ(table("# trigger info: hist:keys=cpu,comm,pid.execname:vals=hitcount [active]\n"
                  "{ cpu: 0, comm: x, cpu: 1, pid: y, z: 2 [ 7] } hitcount: 3\n"),
            "\nkmem/kmalloc: 0 hits in 1 row\n"
            "hitcount  cpu  comm       pid\n"
            "       3  0    x, cpu: 1  y, z: 2 [ 7]\n");
}

TEST(EventHistogram, AHistogramThatCannotBeReadIsAnError) {
  const TemporaryFolder folder;
  Sink out;
  const std::vector<EventSetting> triggers = {{"kmem:kmalloc", "traceoff"}, {"kmem:kmalloc", "hist:keys=pid"}};
  const auto printed = print_event_histograms(TraceFolder(Root(folder.path()), "/t"), triggers, out);
  ASSERT_FALSE(printed);
  EXPECT_TRUE(printed.error().message.contains("/t/events/kmem/kmalloc/hist")) << printed.error().message;
}

TEST(EventHistogram, BrokenTextEnds) {
  EXPECT_EQ(table("{ pid: 1"), "\nkmem/kmalloc: 0 hits in 0 rows\n");
  EXPECT_EQ(parse_event_histogram("{}\n{ : , } :\n").rows.size(), 2u);
}

}  // namespace
}  // namespace peregrine
