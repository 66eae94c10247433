#include "base/concurrency/slice_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/concurrency/worker_pool.h"

namespace peregrine {
namespace {

using Numbers = std::vector<u64>;

TEST(SliceQueue, ConsumesInOrderWhateverTheOrderOfTheEnds) {
  SliceQueue<Numbers> queue;
  Numbers consumed;
  const auto consume = [&](Numbers& slice) { consumed.insert(consumed.end(), slice.begin(), slice.end()); };
  auto first = queue.begin(0), second = queue.begin(1), third = queue.begin(2);
  first->push_back(10);
  second->push_back(11);
  third->push_back(12);
  queue.end(2, std::move(third), consume);
  queue.end(1, std::move(second), consume);
  EXPECT_TRUE(consumed.empty());
  queue.end(0, std::move(first), consume);
  EXPECT_EQ(consumed, (Numbers{10, 11, 12}));
}

TEST(SliceQueue, ReusesValuesEmpty) {
  SliceQueue<Numbers> queue;
  auto value = queue.begin(0);
  value->push_back(1);
  const Numbers* const address = value.get();
  queue.end(0, std::move(value), [](Numbers&) {});
  value = queue.begin(1);
  EXPECT_EQ(value.get(), address);
  EXPECT_TRUE(value->empty());
}

TEST(SliceQueue, BoundsWhatWaitsAndNeverConsumesTwoAtOnce) {
  constexpr std::size_t kSlices = 2000;
  SliceQueue<Numbers> queue;
  Numbers consumed;
  std::atomic<int> consumers = 0;
  std::set<const Numbers*> values;
  WorkerPool pool(4);
  pool.run(kSlices, [&](std::size_t slice, unsigned) {
    auto value = queue.begin(slice);
    value->push_back(slice);
    queue.end(slice, std::move(value), [&](Numbers& due) {
      EXPECT_EQ(++consumers, 1);
      consumed.insert(consumed.end(), due.begin(), due.end());
      values.insert(&due);
      --consumers;
    });
  });
  Numbers all(kSlices);
  std::iota(all.begin(), all.end(), u64{0});
  EXPECT_EQ(consumed, all);
  EXPECT_LE(values.size(), 12u) << "a few slices of memory";
}

}  // namespace
}  // namespace peregrine
