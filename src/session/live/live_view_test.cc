#include "session/live/live_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "output/sink.h"
#include "session/live/live_source.h"
#include "session/live/live_text.h"
#include "session/record/record_request.h"
#include "support/kept_messages.h"

namespace peregrine {
namespace {

// A view of this process, which is sampled while it runs.
class LiveViewing : public ::testing::Test {
 protected:
  // A live session blocks the signals that end a command; the following tests need them.
  LiveViewing() { ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }
  ~LiveViewing() override {
    view_.reset();
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

  void SetUp() override {
    EventList events;
    ASSERT_TRUE(parse_events("cpu-clock:u", sources_, events));
    record_.target.pids = std::to_string(::getpid());
    record_.recording.config.sampling.period = 1'000'000;
    auto opened = open_live_source(record_, sources_, std::move(events), heard_);
    if (!opened) GTEST_SKIP() << "perf events are not allowed here: " << opened.error().message;
    source_.emplace(std::move(*opened));
    LiveViewRequest request{.target = record_.target, .cpus = source_->cpus};
    request.report.grouping.sort = "comm";
    auto view = LiveView::make(std::move(source_->session), source_->reader, std::move(request));
    ASSERT_TRUE(view) << view.error().message;
    view_ = std::move(*view);
    SymbolPlaces places;
    places.load = false;
    ASSERT_TRUE(view_->start(std::move(places), {}, {}));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < end) continue;
    ASSERT_TRUE(view_->profile().stop());
  }

  sigset_t mask_{};
  RecordRequest record_;
  EventSources sources_;
  testing::KeptMessages heard_;
  std::optional<LiveSource> source_;
  std::unique_ptr<LiveView> view_;
};

TEST_F(LiveViewing, NamesTheTargetAndTheFirstEvent) {
  ASSERT_EQ(view_->plan().tables.size(), 1u);
  view_->profile().look();
  const TopHeading heading = view_->heading();
  EXPECT_EQ(heading.target, "target_pid: " + std::to_string(::getpid()));
  EXPECT_EQ(heading.event, "1000000 cpu-clock:u");
  EXPECT_GT(heading.samples_per_second, 0);
  EXPECT_EQ(heading.kernel, 0);
}

TEST_F(LiveViewing, IsShownAsTextOnceMoreAtTheEnd) {
  Sink out;
  LiveSettings settings;
  settings.entries = 1;
  ASSERT_TRUE(LiveText(*view_, settings, {}, out).run());
  const std::string text(out.text());
  EXPECT_NE(text.find("target_pid: "), std::string::npos) << text;
  // The threads that read the rings may have a sample, too.
  EXPECT_THAT(text, ::testing::ContainsRegex("\n +(100|[5-9][0-9])\\.[0-9][0-9]%  session_test")) << text;
}

}  // namespace
}  // namespace peregrine
