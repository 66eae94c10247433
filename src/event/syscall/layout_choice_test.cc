#include "event/syscall/layout_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include <algorithm>
#include <cstddef>

#include "event/syscall/word_table.h"

namespace peregrine {
namespace {

struct ChosenLayout {
  std::string_view choice;
  u64 command;
  std::string_view layout;
  bool filled;
};

// Commands by their names in the headers, with the arguments documented in their manual pages.
constexpr ChosenLayout kChosen[] = {
    {"bpf", BPF_MAP_CREATE, "bpf_map_create", false},
    {"bpf", BPF_MAP_LOOKUP_ELEM, "bpf_elem", false},
    {"bpf", BPF_MAP_LOOKUP_AND_DELETE_ELEM, "bpf_elem", false},
    {"bpf", BPF_PROG_LOAD, "bpf_prog_load", false},
    {"bpf", BPF_OBJ_PIN, "bpf_obj", false},
    {"bpf", BPF_PROG_ATTACH, "bpf_attach", false},
    {"bpf", BPF_PROG_TEST_RUN, "bpf_test", false},
    {"bpf", BPF_PROG_GET_NEXT_ID, "bpf_next_id", false},
    {"bpf", BPF_LINK_GET_NEXT_ID, "bpf_next_id", false},
    {"bpf", BPF_PROG_GET_FD_BY_ID, "bpf_prog_id", false},
    {"bpf", BPF_MAP_GET_FD_BY_ID, "bpf_map_id", false},
    {"bpf", BPF_OBJ_GET_INFO_BY_FD, "bpf_info", false},
    {"bpf", BPF_PROG_QUERY, "bpf_query", false},
    {"bpf", BPF_RAW_TRACEPOINT_OPEN, "bpf_raw_tracepoint", false},
    {"bpf", BPF_BTF_LOAD, "bpf_btf_load", false},
    {"bpf", BPF_BTF_GET_FD_BY_ID, "bpf_btf_id", false},
    {"bpf", BPF_TASK_FD_QUERY, "bpf_task_fd", false},
    {"bpf", BPF_MAP_FREEZE, "bpf_map", false},
    {"bpf", BPF_MAP_DELETE_BATCH, "bpf_batch", false},
    {"bpf", BPF_LINK_CREATE, "bpf_link_create", false},
    {"bpf", BPF_LINK_UPDATE, "bpf_link_update", false},
    {"bpf", BPF_LINK_GET_FD_BY_ID, "bpf_link_id", false},
    {"bpf", BPF_ENABLE_STATS, "bpf_stats", false},
    {"bpf", BPF_ITER_CREATE, "bpf_iter", false},
    {"bpf", BPF_LINK_DETACH, "bpf_detach", false},
    {"bpf", BPF_PROG_BIND_MAP, "bpf_bind", false},
    {"ioctl", TCGETS, "termios", true},
    {"ioctl", TCSETSF, "termios", false},
    {"ioctl", TIOCGWINSZ, "winsize", true},
    {"ioctl", TIOCSWINSZ, "winsize", false},
    {"ioctl", TIOCGPGRP, "int", true},
    {"ioctl", TIOCSPGRP, "int", false},
    {"ioctl", FIONREAD, "int", true},
    {"ioctl", FIONBIO, "int", false},
    {"ioctl", FIOASYNC, "int", false},
    {"ioctl", TIOCGPTN, "int", true},
    {"ioctl", TIOCSPTLCK, "int", false},
    {"ioctl", FICLONERANGE, "clone_range", false},
    {"ioctl", FS_IOC_GETFLAGS, "fsflags", true},
    {"ioctl", FS_IOC_SETFLAGS, "fsflags", false},
    {"ioctl", FS_IOC_FSGETXATTR, "fsxattr", true},
    {"ioctl", FS_IOC_FSSETXATTR, "fsxattr", false},
    {"ioctl", BLKGETSIZE64, "size", true},
    {"ioctl", BLKSSZGET, "int", true},
    {"msgctl", IPC_SET, "msqid64_ds", false},
    {"msgctl", IPC_STAT, "msqid64_ds", true},
    {"msgctl", MSG_STAT, "msqid64_ds", true},
    {"semctl", IPC_STAT, "semid64_ds", true},
    {"semctl", SEM_STAT, "semid64_ds", true},
    {"shmctl", IPC_SET, "shmid64_ds", false},
    {"shmctl", SHM_STAT, "shmid64_ds", true},
    {"seccomp", SECCOMP_SET_MODE_FILTER, "sock_fprog", false},
    {"seccomp", SECCOMP_GET_ACTION_AVAIL, "status", false},
    {"seccomp", SECCOMP_GET_NOTIF_SIZES, "seccomp_sizes", true},
};

class LayoutChoiceTest : public ::testing::Test {
 protected:
  WordTables words_;
  StructLayouts layouts_{words_, false};
  LayoutChoices choices_{layouts_};
};

TEST_F(LayoutChoiceTest, CommandsChooseTheirStruct) {
  for (const auto& [name, command, layout, filled] : kChosen) {
    SCOPED_TRACE(fmt::format("{} {:#x}", name, command));
    const LayoutChoice* choice = choices_.find(name);
    ASSERT_NE(choice, nullptr);
    const LayoutChoice::Row* row = choice->of(command);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->layout, layouts_.find(layout));
    EXPECT_EQ(row->filled, filled);
  }
}

// An ioctl's number may contain the length of its argument and its direction.
TEST_F(LayoutChoiceTest, IoctlsAgreeWithTheirNumbers) {
  const LayoutChoice* choice = choices_.find("ioctl");
  ASSERT_NE(choice, nullptr);
  for (const LayoutChoice::Row& row : choice->rows) {
    const auto command = static_cast<unsigned>(row.command);
    if (_IOC_SIZE(command) == 0) continue;
    SCOPED_TRACE(fmt::format("{:#x} {}", command, row.layout->name));
    // File flags are declared as long, but only 32 bits are used.
    EXPECT_LE(row.layout->size, _IOC_SIZE(command));
    if (row.filled) EXPECT_NE(_IOC_DIR(command) & _IOC_READ, 0u);
    if ((_IOC_DIR(command) & _IOC_READ) == 0) EXPECT_FALSE(row.filled);
  }
}

TEST_F(LayoutChoiceTest, RowsAscendWithoutDuplicates) {
  for (const std::string_view name : {"bpf", "ioctl", "msgctl", "seccomp", "semctl", "shmctl"}) {
    const LayoutChoice* choice = choices_.find(name);
    ASSERT_NE(choice, nullptr) << name;
    u16 largest = 0;
    for (std::size_t i = 0; i < choice->rows.size(); ++i) {
      const LayoutChoice::Row& row = choice->rows[i];
      ASSERT_NE(row.layout, nullptr);
      if (i > 0) EXPECT_LT(choice->rows[i - 1].command, row.command) << name;
      largest = std::max(largest, row.layout->size);
    }
    EXPECT_EQ(choice->most, largest) << name;
  }
}

TEST_F(LayoutChoiceTest, OtherCommandsTakeNoStruct) {
  EXPECT_EQ(choices_.find("ioctl")->of(TIOCSCTTY), nullptr);
  EXPECT_EQ(choices_.find("ioctl")->of(~u64{0}), nullptr);
  EXPECT_EQ(choices_.find("msgctl")->of(IPC_RMID), nullptr);
  EXPECT_EQ(choices_.find("nothing"), nullptr);
}

}  // namespace
}  // namespace peregrine
