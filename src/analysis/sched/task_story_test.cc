#include "analysis/sched/task_story.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

class StoryRecording : public TracepointRecording {
 public:
  StoryRecording() {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state", "prev_comm[16]", "next_comm[16]"});
    event("sched:sched_wakeup", {"pid", "success", "comm[16]"});
    event("sched:sched_wakeup_new", {"pid", "success", "comm[16]"});
  }
  static const char* name(u32 tid) { return tid == 5 ? "five" : tid == 6 ? "six" : "other"; }
  void change(u64 time, u32 leaves, u32 comes, u64 state = 1) {
    hit("sched:sched_switch", {.time = time, .tid = leaves}, {leaves, comes, state, name(leaves), name(comes)});
  }
  // `flags`: 8 in an interrupt.
  void wake(u64 time, u32 task, u32 by, u8 flags = 0, const char* event = "sched:sched_wakeup") {
    hit(event, {.time = time, .tid = by, .flags = flags}, {task, 1, name(task)});
  }
};

// "five: run 10, sleep 5, await six, wake six".
std::vector<std::string> stories(const TracepointRecording& recording) {
  ReplayedRecording replayed(recording);
  TaskStory story(replayed.reader());
  replayed.run(story);
  std::vector<std::string> texts;
  for (const StoryTask& task : story.tasks()) {
    std::string text = task.comm + ":";
    for (const StoryStep& step : task.steps) {
      using Kind = StoryStep::Kind;
      if (step.kind == Kind::Run) text += fmt::format(" run {}", step.ns);
      if (step.kind == Kind::Sleep) text += fmt::format(" sleep {}", step.ns);
      if (step.kind == Kind::Await) text += " await " + story.tasks()[step.task].comm;
      if (step.kind == Kind::Wake) text += " wake " + story.tasks()[step.task].comm;
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(TaskStory, AWaitBelongsToTheTaskThatEndedIt) {
  StoryRecording recording;
  recording.change(100, 5, 6);
  recording.wake(120, 5, 6);
  recording.change(150, 6, 5);
  recording.change(160, 5, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: await six run 10", "six: run 20 wake five run 30"));
}

TEST(TaskStory, AWaitThatAnInterruptEndsIsASleep) {
  StoryRecording recording;
  recording.change(100, 5, 6);
  recording.wake(120, 5, 6, 8);
  recording.change(150, 6, 5);
  recording.change(160, 5, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: sleep 20 run 10", "six: run 50"));
}

TEST(TaskStory, AWaitThatAnIdleCpuEndsIsASleep) {
  StoryRecording recording;
  recording.change(100, 5, 0);
  recording.wake(120, 5, 0);
  recording.change(130, 0, 5);
  recording.change(160, 5, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: sleep 20 run 30"));
}

TEST(TaskStory, PreemptionDoesNotDivideARun) {
  StoryRecording recording;
  recording.change(100, 0, 5);
  recording.change(110, 5, 6, 0);
  recording.change(115, 6, 5, 0);
  recording.change(135, 5, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: run 30", "six: run 5"));
}

TEST(TaskStory, AWakeUpThatIsMissingIsASleep) {
  StoryRecording recording;
  recording.change(100, 5, 0);
  recording.change(150, 0, 5);
  recording.change(160, 5, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: sleep 50 run 10"));
}

TEST(TaskStory, WakingATaskThatIsAwakeIsNoStep) {
  StoryRecording recording;
  recording.change(100, 0, 5);
  recording.change(110, 5, 6, 0);
  recording.wake(120, 5, 6);
  recording.change(130, 6, 5);
  recording.change(140, 5, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: run 20", "six: run 20"));
}

TEST(TaskStory, ANewTaskStartsByWaitingForItsParent) {
  StoryRecording recording;
  recording.change(100, 0, 5);
  recording.wake(110, 6, 5, 0, "sched:sched_wakeup_new");
  recording.change(120, 5, 6);
  recording.change(150, 6, 0);
  EXPECT_THAT(stories(recording), ElementsAre("five: run 10 wake six run 10", "six: await five run 30"));
}

TEST(TaskStory, IdleTasksHaveNone) {
  StoryRecording recording;
  recording.change(100, 0, 0);
  recording.wake(110, 0, 0);
  EXPECT_TRUE(stories(recording).empty());
}

}  // namespace
}  // namespace peregrine
