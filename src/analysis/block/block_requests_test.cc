#include "analysis/block/block_requests.h"

#include <gtest/gtest.h>

#include "abi/blktrace_record.h"

namespace peregrine {
namespace {

TEST(BlockRequests, ForgetsRequestsThatNeverComplete) {
  u64 completed = 0;
  BlockRequests requests(
      {.took = [&](const BlockRequest&, BlockPhase phase, u64) { completed += phase == BlockPhase::Q2C ? 1 : 0; },
       .label = [](BlockRequest&, const BlockEvent&) {}});
  BlockEvent event;
  event.record.bytes = 4096;
  for (const abi::BlockAction action : {abi::BlockAction::Queue, abi::BlockAction::Sleep}) {
    event.record.action = static_cast<u8>(action);
    event.record.traits = abi::traits_of(action);
    for (u64 i = 0; i < 3 * BlockRequests::kMostPending; ++i) {
      event.record.time = ++event.record.sector;
      requests.add(event);
    }
  }
  EXPECT_LE(requests.pending(), 2 * (BlockRequests::kMostPending + 1));
  event.record.sector = 3 * BlockRequests::kMostPending;
  event.record.action = static_cast<u8>(abi::BlockAction::Complete);
  event.record.traits = abi::traits_of(abi::BlockAction::Complete);
  EXPECT_EQ(requests.add(event), 1u) << "the newest are kept";
  EXPECT_EQ(completed, 1u);
}

}  // namespace
}  // namespace peregrine
