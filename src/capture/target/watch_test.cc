// Uses pipes instead of rings and descriptors: a closed writing end represents a thread that has ended.
#include "capture/target/watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace peregrine {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr milliseconds kAtOnce(0);

struct PipeEnds {
  PipeEnds() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    reader = Fd(ends[0]);
    writer = Fd(ends[1]);
  }
  void fill() { EXPECT_EQ(::write(writer.get(), "x", 1), 1); }
  Fd reader, writer;
};

Watch opened_watch(const std::vector<int>& signals = {SIGUSR1}) {
  auto watch = Watch::open(signals);
  EXPECT_TRUE(watch);
  return std::move(*watch);
}

TEST(Watch, NothingHappensUntilTheTimeout) {
  Watch watch = opened_watch();
  PipeEnds ring;
  watch.add_ring({ring.reader.get()});
  const auto result = watch.wait(kAtOnce);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->ring || result->workload || result->steered || result->noticed || result->targets_gone);
  EXPECT_THAT(result->signals, IsEmpty());
}

TEST(Watch, ReportsARingThatNeedsDraining) {
  Watch watch = opened_watch();
  PipeEnds first, second;
  watch.add_ring({first.reader.get()});
  watch.add_ring({second.reader.get()});
  second.fill();
  EXPECT_TRUE(watch.wait(kAtOnce)->ring);
}

TEST(Watch, ARingThatIsNotReadOnlyEnds) {
  Watch watch = opened_watch();
  PipeEnds ring;
  watch.add_ring({ring.reader.get()}, false);
  ring.fill();
  EXPECT_FALSE(watch.wait(kAtOnce)->ring);
  ring.writer.reset();
  EXPECT_TRUE(watch.wait(kAtOnce)->targets_gone);
}

TEST(Watch, TheNextWriterOfARingTakesOver) {
  Watch watch = opened_watch();
  PipeEnds first, second;
  watch.add_ring({first.reader.get(), second.reader.get()});
  first.writer.reset();
  EXPECT_FALSE(watch.wait(kAtOnce)->targets_gone) << "another thread still writes to it";
  second.fill();
  EXPECT_TRUE(watch.wait(kAtOnce)->ring);
  second.writer.reset();
  EXPECT_TRUE(watch.wait(kAtOnce)->targets_gone);
}

TEST(Watch, TargetsAreGoneWithTheLastRing) {
  Watch watch = opened_watch();
  PipeEnds first, second;
  watch.add_ring({first.reader.get()});
  watch.add_ring({second.reader.get()});
  first.writer.reset();
  EXPECT_FALSE(watch.wait(kAtOnce)->targets_gone);
  second.writer.reset();
  EXPECT_TRUE(watch.wait(kAtOnce)->targets_gone);
  EXPECT_TRUE(watch.wait(kAtOnce)->targets_gone) << "and they do not come back";
}

TEST(Watch, TellsItsDescriptorsApart) {
  Watch watch = opened_watch();
  PipeEnds workload, control, notice;
  watch.set_workload(workload.reader.get());
  watch.set_control(control.reader.get());
  watch.set_notice(notice.reader.get());
  control.fill();
  auto result = watch.wait(kAtOnce);
  EXPECT_TRUE(result->steered);
  EXPECT_FALSE(result->workload || result->noticed || result->ring);
  watch.set_control(-1);
  notice.fill();
  result = watch.wait(kAtOnce);
  EXPECT_TRUE(result->noticed);
  EXPECT_FALSE(result->steered) << "it is no longer watched";
  workload.writer.reset();
  EXPECT_TRUE(watch.wait(kAtOnce)->workload);
}

TEST(Watch, ReportsSignalsOnce) {
  Watch watch = opened_watch({SIGUSR1, SIGUSR2});
  ::raise(SIGUSR2);
  ::raise(SIGUSR1);
  EXPECT_THAT(watch.wait(kAtOnce)->signals, ::testing::UnorderedElementsAre(SIGUSR1, SIGUSR2));
  EXPECT_THAT(watch.wait(kAtOnce)->signals, IsEmpty());
}

TEST(Watch, RestoresTheMaskAndDropsWhatIsPending) {
  sigset_t before, inside, after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    const Watch watch = opened_watch();
    ::pthread_sigmask(SIG_SETMASK, nullptr, &inside);
    EXPECT_TRUE(sigismember(&inside, SIGUSR1));
    EXPECT_TRUE(sigismember(&inside, SIGPIPE)) << "writes fail with EPIPE instead";
    EXPECT_EQ(sigismember(&watch.previous_mask(), SIGUSR1), sigismember(&before, SIGUSR1));
    ::raise(SIGUSR1);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGUSR1), sigismember(&before, SIGUSR1)) << "and this process still lives";
  EXPECT_EQ(sigismember(&after, SIGPIPE), sigismember(&before, SIGPIPE));
}

TEST(Watch, EndsAfterATimeAsByASignal) {
  auto watch = Watch::open({SIGTERM});
  ASSERT_TRUE(watch);
  watch->end_after(std::chrono::milliseconds(0));
  EXPECT_TRUE(watch->wait(std::chrono::milliseconds(1))->signals.empty());
  watch->end_after(std::chrono::milliseconds(20));
  EXPECT_TRUE(watch->wait(std::chrono::milliseconds(1))->signals.empty());
  EXPECT_EQ(watch->wait(std::chrono::milliseconds(-1))->signals, std::vector{SIGTERM});
  EXPECT_TRUE(watch->wait(std::chrono::milliseconds(1))->signals.empty());
}

}  // namespace
}  // namespace peregrine
