#include "pipeline/decode/queue_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Reports one event at each of its times, and logs its number.
class Told final : public TraceQueue {
 public:
  Told(std::string name, std::vector<u64> times, std::vector<std::string>& log)
      : name_(std::move(name)), times_(std::move(times)), log_(log) {}
  u64 time() const override { return at_ == times_.size() ? kEnd : times_[at_]; }
  void run(u64 until, Moment) override {
    for (; time() < until; ++at_) log_.push_back(name_ + std::to_string(times_[at_]));
  }
  void set_thread(u32, u32) override {}

 private:
  std::string name_;
  std::vector<u64> times_;
  std::size_t at_ = 0;
  std::vector<std::string>& log_;
};

class QueueOrderTest : public ::testing::Test {
 protected:
  void add(std::string name, std::vector<u64> times, u32 cpu = 0, u32 tid = 0) {
    queues.push_back({std::make_unique<Told>(std::move(name), std::move(times), log), cpu, tid});
  }
  std::vector<TraceDecoder::Queue> queues;
  std::vector<std::string> log;
};

TEST_F(QueueOrderTest, TellsInOrderOfTime) {
  add("a", {1, 5, 9});
  add("b", {2, 6});
  QueueOrder order(queues);
  while (order.run_first(6, 0)) {
  }
  EXPECT_THAT(log, ElementsAre("a1", "b2", "a5"));
  while (order.run_first(TraceQueue::kEnd, 0)) {
  }
  EXPECT_THAT(log, ElementsAre("a1", "b2", "a5", "b6", "a9"));
}

TEST_F(QueueOrderTest, GoesOnUntilTheNextQueueIsPassed) {
  add("a", {7, 9});
  add("b", {7, 9});
  QueueOrder order(queues);
  while (order.run_first(TraceQueue::kEnd, 0)) {
  }
  EXPECT_THAT(log, ElementsAre("a7", "b7", "b9", "a9"));
}

TEST_F(QueueOrderTest, LetsQueuesGoThatToldAll) {
  add("a", {1});
  add("b", {});
  QueueOrder order(queues);
  while (order.run_first(TraceQueue::kEnd, 0)) {
  }
  EXPECT_EQ(order.queue(0), nullptr);
  EXPECT_EQ(order.queue(1), nullptr);
}

TEST_F(QueueOrderTest, FollowsQueuesThatRanElsewhere) {
  add("a", {1, 2, 3});
  add("b", {2});
  QueueOrder order(queues);
  order.queue(0)->run(3, 0);
  while (order.run_first(TraceQueue::kEnd, 0)) {
  }
  EXPECT_THAT(log, ElementsAre("a1", "a2", "b2", "a3"));
}

TEST_F(QueueOrderTest, FindsQueuesByCpuAndThread) {
  add("a", {1}, 3, 70);
  add("b", {1}, 4, 71);
  add("c", {1}, 3, 71);
  const QueueOrder order(queues);
  EXPECT_THAT(order.of_cpu(3), ElementsAre(0, 2));
  EXPECT_THAT(order.of_thread(71), ElementsAre(1, 2));
  EXPECT_THAT(order.of_cpu(9), IsEmpty());
}

}  // namespace
}  // namespace peregrine
