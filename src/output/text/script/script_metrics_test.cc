#include "output/text/script/script_metrics.h"

#include <gtest/gtest.h>

#include "abi/attr.h"

namespace peregrine {
namespace {

TEST(ScriptMetrics, OfAGroupWhenAllItsEventsHadASample) {
  data::Evlist evlist;
  for (const auto config : {abi::HardwareEvent::Cycles, abi::HardwareEvent::Instructions}) {
    data::Event event;
    event.attr.config = static_cast<u64>(config);
    evlist.add(event);
  }
  ScriptMetrics alone(evlist);
  EXPECT_TRUE(alone.add(0, 1000).empty());
  EXPECT_TRUE(alone.add(1, 2500).empty());

  evlist.set_group(0, 2, "");
  ScriptMetrics metrics(evlist);
  EXPECT_TRUE(metrics.add(0, 1000).empty());
  EXPECT_EQ(metrics.add(1, 2500), std::vector<std::string>{"   2.50  insn per cycle"});
  // The same event twice: the previous round can no longer be completed.
  EXPECT_TRUE(metrics.add(0, 1).empty());
  EXPECT_TRUE(metrics.add(0, 2000).empty());
  EXPECT_EQ(metrics.add(1, 1000), std::vector<std::string>{"   0.50  insn per cycle"});
}

}  // namespace
}  // namespace peregrine
