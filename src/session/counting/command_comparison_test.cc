#include "session/counting/command_comparison.h"

#include <gtest/gtest.h>

#include "base/types.h"
#include "capture/counter.h"
#include "event/spec.h"
#include "support/kept_messages.h"

namespace peregrine {
namespace {

// Runs with three events: cycles is not supported, switches never counts.
class MissingRows : public ::testing::Test {
 protected:
  MissingRows() {
    for (const char* name : {"cycles", "faults", "switches"}) {
      EventSpec spec;
      spec.name = name;
      spec.attr.type = 1;
      spec.attr.config = events_.size() + 1;
      spec.leader = events_.size();
      events_.push_back(spec);
    }
  }
  StatTable run(bool counts_faults) const {
    StatTable table(events_, {false, true, true}, {});
    table.add_run(
        std::vector<CounterReading>{{1, -1, 1, 10, counts_faults ? u64{10} : u64{0}, 10}, {2, -1, 1, 0, 0, 0}},
        {.wall_ns = 1'000'000});
    return table;
  }
  // The warnings about two pairs; unless `faults_in_all`, the last run of B did not count faults.
  std::string warnings(bool faults_in_all, bool lists_left_out) const {
    StatVersus versus;
    versus.add_pair(run(true), run(true));
    versus.add_pair(run(true), run(faults_in_all));
    testing::KeptMessages messages;
    warn_about_missing_rows(run(true), versus, lists_left_out, messages);
    return messages.take();
  }

 private:
  EventList events_;
};

constexpr const char* kUnsupported = "warning: not supported here, so not compared: cycles\n";

TEST_F(MissingRows, AreNamedInWarnings) {
  const std::string wanted =
      std::string(kUnsupported) + "warning: not counted in every run, so not compared: switches\n";
  EXPECT_EQ(warnings(true, true), wanted);
  EXPECT_EQ(warnings(false, true), wanted);
}

TEST_F(MissingRows, AreNamedInWarningsWhereTheTableDoesNotListThem) {
  EXPECT_EQ(warnings(false, false),
            std::string(kUnsupported) + "warning: not counted in every run, so not compared: faults, switches\n");
}

}  // namespace
}  // namespace peregrine
