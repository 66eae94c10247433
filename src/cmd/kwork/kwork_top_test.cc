// `kwork top` on a small recording: which tasks used which CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// On CPU 0, worker (8) runs for 6 ms and other (9) for 2 ms; on CPU 1, other runs for 3 ms.
support::TracepointRecording usage_recording() {
  support::TracepointRecording recording;
  recording.event("sched:sched_switch",
                  {"prev_comm[16]", "prev_pid", "prev_prio", "prev_state", "next_comm[16]", "next_pid", "next_prio"});
  const auto change = [&](u64 ms, u32 cpu, std::pair<const char*, u64> from, std::pair<const char*, u64> to) {
    recording.hit("sched:sched_switch", {.time = ms * 1'000'000, .cpu = cpu, .pid = 1, .tid = 1},
                  {from.first, from.second, 120, 1, to.first, to.second, 120});
  };
  const std::pair idle("swapper", u64{0}), worker("worker", u64{8}), other("other", u64{9});
  change(10, 0, idle, worker);
  change(10, 1, idle, other);
  change(13, 1, other, idle);
  change(16, 0, worker, other);
  change(18, 0, other, idle);
  change(20, 1, idle, worker);
  return recording;
}

class KworkTop : public ::testing::Test {
 protected:
  Called top(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"top", "-i", path_});
    return called(kKwork, std::move(arguments));
  }
  // The rows of worker and other, in order.
  std::vector<std::string> tasks(std::vector<std::string> arguments) {
    const Called call = top(std::move(arguments));
    EXPECT_EQ(call.error.message, "");
    std::vector<std::string> names;
    const std::size_t worker = call.printed.find("worker"), other = call.printed.find("other");
    if (worker != std::string::npos && worker < other) names.emplace_back("worker");
    if (other != std::string::npos) names.emplace_back("other");
    if (worker != std::string::npos && worker > other) names.emplace_back("worker");
    return names;
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, usage_recording());
};

TEST_F(KworkTop, TasksAreSortedByTheirRuntime) {
  EXPECT_THAT(tasks({}), ElementsAre("worker", "other"));
  EXPECT_THAT(tasks({"-s", "runtime"}), ElementsAre("worker", "other"));
  EXPECT_THAT(tasks({"-s", "tid"}), ElementsAre("worker", "other"));
  EXPECT_THAT(tasks({"-C", "1"}), ElementsAre("other")) << "where the other has run";
  const std::string text = top({}).printed;
  EXPECT_THAT(text, HasSubstr("6.000 ms"));
  EXPECT_THAT(text, HasSubstr("5.000 ms")) << "2 ms on one CPU and 3 ms on the other";
}

TEST_F(KworkTop, TasksAreChosenByName) {
  EXPECT_THAT(tasks({"-n", "other"}), ElementsAre("other"));
  EXPECT_THAT(tasks({"-n", "nobody"}), IsEmpty());
}

TEST_F(KworkTop, KeysOfTablesAreRefused) {
  for (const char* key : {"max", "count", "runtime,avg"})
    EXPECT_EQ(top({"-s", key}).error.kind, ErrorKind::Usage) << key;
  EXPECT_EQ(top({"-s", ""}).error.message, "");
}

}  // namespace
}  // namespace peregrine::cmd
