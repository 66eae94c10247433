#include "base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>

namespace peregrine {
namespace {

TEST(WorkerPool, RunsEveryIndexOnceAndManyTimesInARow) {
  WorkerPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> hits(37);
    pool.run(hits.size(), [&](std::size_t index, unsigned worker) {
      ASSERT_LT(worker, pool.size());
      ++hits[index];
    });
    for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1);
  }
}

TEST(WorkerPool, OneWorkerRunsInOrderOnTheCaller) {
  WorkerPool pool(1);
  std::vector<std::size_t> order;
  pool.run(5, [&](std::size_t index, unsigned) { order.push_back(index); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace peregrine
