#include "session/counting/paired_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "capture/counter.h"
#include "event/spec.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KeptWarnings : public SessionListener {
 public:
  void warning(std::string_view text, std::string_view) override { texts.emplace_back(text); }
  void note(std::string_view, std::string_view) override {}
  void verbatim(std::string_view) override {}
  std::vector<std::string> texts;
};

// Commands named "a" with 10 page faults and "b" with 20.
class Pairs : public ::testing::Test {
 protected:
  Pairs() {
    EventSpec spec;
    spec.name = "page-faults";
    spec.attr.type = 1;
    spec.attr.config = 2;
    events_.push_back(spec);
  }
  Result<StatVersus> compare(unsigned pairs) {
    PairedRuns runs({"a"}, {"b"}, [this](const PairedRuns::Words& words) { return run(words); }, listener_);
    return runs.compare(pairs);
  }

  std::string order_;
  int status_of_b_ = 0;
  bool cut_short_ = false;
  std::size_t interrupted_at_ = 0;
  KeptWarnings listener_;

 private:
  Result<CommandRun> run(const PairedRuns::Words& words) {
    order_ += words.front();
    StatTable table(events_, {true}, {});
    table.add_run(std::vector<CounterReading>{{0, -1, 1, words.front() == "a" ? u64{10} : u64{20}, 10, 10}},
                  {.wall_ns = 1'000'000});
    WorkloadExit exit;
    exit.status = words.front() == "b" ? status_of_b_ : 0;
    return CommandRun{std::move(table), exit, order_.size() == interrupted_at_ ? 2 : 0, cut_short_};
  }
  EventList events_;
};

TEST_F(Pairs, WarmUpAndThenTakeTurnsInGoingFirst) {
  const auto versus = compare(3);
  EXPECT_EQ(order_, "ababbaab");
  ASSERT_TRUE(versus);
  EXPECT_EQ(versus->pairs(), 3u);
  EXPECT_DOUBLE_EQ(versus->rows()[0].mean_a, 10);
  EXPECT_DOUBLE_EQ(versus->rows()[0].mean_b, 20);
}

TEST_F(Pairs, WarnOnceOfACommandThatFails) {
  status_of_b_ = 3 << 8;
  EXPECT_EQ(compare(2)->pairs(), 2u);
  EXPECT_THAT(listener_.texts, ElementsAre("'b' ended with exit code 3; its counts are compared anyway"));
}

TEST_F(Pairs, DoNotWarnOfACommandThatTheInterruptEnds) {
  status_of_b_ = 2;
  interrupted_at_ = 2;
  EXPECT_EQ(compare(5)->pairs(), 0u);
  EXPECT_EQ(order_, "ab");
  EXPECT_THAT(listener_.texts, IsEmpty());
}

TEST_F(Pairs, DoNotWarnOfACommandThatTheTimeoutEnds) {
  status_of_b_ = 15;
  cut_short_ = true;
  EXPECT_EQ(compare(2)->pairs(), 2u);
  EXPECT_THAT(listener_.texts, IsEmpty());
}

TEST_F(Pairs, EndWithASignalAndKeepWholePairs) {
  interrupted_at_ = 6;
  EXPECT_EQ(compare(5)->pairs(), 1u);
  EXPECT_EQ(order_, "ababba");
  EXPECT_THAT(listener_.texts, IsEmpty());
}

}  // namespace
}  // namespace peregrine
