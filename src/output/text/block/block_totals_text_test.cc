#include "output/text/block/block_totals_text.h"

#include <gtest/gtest.h>

#include <string>

#include "abi/blktrace_record.h"

namespace peregrine {
namespace {

std::string record_totals(u32 devices, u64 dropped) {
  BlockTotals totals;
  for (u32 device = 0; device < devices; ++device) {
    BlockEvent event{.group = device};
    event.record.action = static_cast<u8>(abi::BlockAction::Queue);
    event.record.traits = abi::traits_of(abi::BlockAction::Queue);
    totals.add(event);
  }
  Sink out;
  print_block_record_totals(
      totals, [](u32 group) { return "sd" + std::string(1, static_cast<char>('a' + group)); }, dropped, out);
  return out.take();
}

TEST(BlockRecordTotals, ShowLossesOfTheOnlyDevice) {
  EXPECT_EQ(record_totals(1, 7),
            "=== sda ===\n"
            "  CPU  0:                     1 events,        1 KiB data\n"
            "  Total:                      1 events (dropped 7),        1 KiB data\n");
}

TEST(BlockRecordTotals, DoNotAssignLossesToOneOfSeveralDevices) {
  const std::string text = record_totals(2, 7);
  EXPECT_EQ(text.find("(dropped"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("=== all devices ===\n  dropped 7 events (a lost record does not name its device)\n"))
      << text;
  const std::string intact = record_totals(2, 0);
  EXPECT_NE(intact.find("sdb ===\n"), std::string::npos);
  EXPECT_EQ(intact.find("all devices"), std::string::npos);
}

TEST(BlockRecordTotals, ReportLossesWithoutAnyEvent) {
  EXPECT_EQ(record_totals(0, 1), "=== all devices ===\n  dropped 1 event (a lost record does not name its device)\n");
}

}  // namespace
}  // namespace peregrine
