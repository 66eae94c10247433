#include "analysis/task/task_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "abi/side_band.h"
#include "machine/machine.h"
#include "machine/process/moment.h"

namespace peregrine {
namespace {

abi::SideBand fork(u32 parent_pid, u32 parent_tid, u32 pid, u32 tid) {
  abi::SideBand record;
  record.body = abi::ForkRecord{.pid = pid, .parent_pid = parent_pid, .tid = tid, .parent_tid = parent_tid};
  return record;
}

// "tid/parent" of each row, indented by its depth.
std::string drawn(const std::vector<abi::SideBand>& records) {
  Machine machine;
  Moment moment = 1;
  for (const abi::SideBand& record : records) machine.apply(record, moment++);
  std::string result;
  for (const TaskRow& row : task_rows(machine.threads().tasks())) {
    result += std::string(row.depth, ' ') + std::to_string(row.task.state.tid);
    if (row.task.parent) result += "/" + std::to_string(*row.task.parent);
    result += "\n";
  }
  return result;
}

TEST(TaskTree, PutsChildrenBelowTheirParent) {
  EXPECT_EQ(drawn({fork(5, 5, 7, 7), fork(7, 7, 7, 8), fork(5, 5, 6, 6)}), "0\n5\n 6/5\n 7/5\n  8/7\n");
}

TEST(TaskTree, SortsSiblingsByLowByteOfTid) {
  // 511 ends in 255 and its child 512 in 0, so 511 comes before 260, which ends in 4.
  EXPECT_EQ(drawn({fork(5, 5, 260, 260), fork(5, 5, 511, 511), fork(511, 511, 512, 512)}),
            "0\n5\n 511/5\n  512/511\n 260/5\n");
}

TEST(TaskTree, GivesAReusedTidItsNewParent) {
  EXPECT_EQ(drawn({fork(5, 5, 9, 9), fork(6, 6, 9, 9)}), "0\n5\n6\n 9/6\n");
}

TEST(TaskTree, BreaksACycleAtItsFirstTask) {
  EXPECT_EQ(drawn({fork(5, 5, 6, 6), fork(6, 6, 5, 5)}), "0\n5/6\n 6/5\n");
  EXPECT_EQ(drawn({fork(7, 7, 7, 7)}), "0\n7/7\n");
}

TEST(TaskTree, ShowsTheDescendantsOfACycle) {
  // 4 is a child of 6, which forked 5, which forked 6. The walk from 4 finds the cycle.
  EXPECT_EQ(drawn({fork(5, 5, 6, 6), fork(6, 6, 5, 5), fork(6, 6, 4, 4), fork(5, 5, 8, 8)}),
            "0\n5/6\n 6/5\n  4/6\n 8/5\n");
}

}  // namespace
}  // namespace peregrine
