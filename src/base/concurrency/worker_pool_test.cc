#include "base/concurrency/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

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

// Whichever thread runs a failing task, the pool can be used again afterwards.
TEST(WorkerPool, ThrowsOnTheCallerWhatATaskThrows) {
  for (const unsigned workers : {1u, 4u}) {
    WorkerPool pool(workers);
    for (std::size_t bad = 0; bad < 64; ++bad) {
      const auto task = [&](std::size_t index, unsigned) {
        if (index == bad) throw std::bad_alloc();
      };
      EXPECT_THROW(pool.run(64, task), std::bad_alloc);
      std::atomic<int> hits = 0;
      pool.run(64, [&](std::size_t, unsigned) { ++hits; });
      EXPECT_EQ(hits, 64);
    }
  }
}

TEST(WorkerPool, NoTaskRunsAnyMoreWhenRunThrows) {
  WorkerPool pool(4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> inside = 0;
    EXPECT_THROW(pool.run(1000,
                          [&](std::size_t index, unsigned) {
                            ++inside;
                            if (index % 3 == 0) {
                              --inside;
                              throw std::runtime_error("full");
                            }
                            --inside;
                          }),
                 std::runtime_error);
    EXPECT_EQ(inside, 0);
  }
}

}  // namespace
}  // namespace peregrine
