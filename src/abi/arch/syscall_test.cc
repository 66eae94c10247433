#include "abi/arch/syscall.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace peregrine::abi {
namespace {

TEST(SyscallNumber, AreTheKernelsByItsOwnNames) {
  EXPECT_EQ(syscall_number(Arch::X86, "read"), 0u);
  EXPECT_EQ(syscall_number(Arch::X86, "newfstat"), 5u);
  EXPECT_EQ(syscall_number(Arch::X86, "umount"), 166u);
  EXPECT_EQ(syscall_number(Arch::X86, "uprobe"), 336u);
  EXPECT_EQ(syscall_number(Arch::Arm64, "read"), 63u);
  EXPECT_EQ(syscall_number(Arch::Arm64, "kexec_file_load"), 294u);
  for (const Arch arch : {Arch::X86, Arch::Arm64}) {
    EXPECT_EQ(syscall_number(arch, "pidfd_send_signal"), 424u);
    EXPECT_EQ(syscall_number(arch, "file_setattr"), 469u);
  }
}

TEST(SyscallNumber, AgreeWithTheHeadersOfThisMachine) {
  EXPECT_EQ(syscall_number(kHostArch, "getppid"), u32{SYS_getppid});
  EXPECT_EQ(syscall_number(kHostArch, "perf_event_open"), u32{SYS_perf_event_open});
  EXPECT_EQ(syscall_number(kHostArch, "statx"), u32{SYS_statx});
  EXPECT_EQ(syscall_number(kHostArch, "futex_waitv"), u32{SYS_futex_waitv});
}

TEST(SyscallName, IsThatOfTheHeaders) {
  EXPECT_EQ(syscall_name(Arch::X86, 0), "read");
  EXPECT_EQ(syscall_name(Arch::X86, 5), "fstat");
  EXPECT_EQ(syscall_tracepoint(SyscallSet::X86_64, 5), "newfstat");
  EXPECT_EQ(syscall_name(Arch::X86, 166), "umount2");
  EXPECT_EQ(syscall_name(Arch::Arm64, 63), "read");
  EXPECT_EQ(syscall_name(Arch::Arm64, 160), "uname");
  EXPECT_EQ(syscall_name(SyscallSet::I386, 3), "read");
  EXPECT_EQ(syscall_name(SyscallSet::I386, 423), "sched_rr_get_interval_time64");
  for (const auto set : {SyscallSet::X86_64, SyscallSet::I386, SyscallSet::Generic}) {
    EXPECT_EQ(syscall_name(set, 435), "clone3");
    EXPECT_EQ(syscall_name(set, 469), "file_setattr");
    EXPECT_EQ(syscall_name(set, 470), "");
    EXPECT_EQ(syscall_name(set, ~0u), "");
  }
  EXPECT_EQ(syscall_name(Arch::X86, 400), "");
  EXPECT_EQ(syscall_name(Arch::Arm64, 250), "");
  EXPECT_EQ(syscall_name(Arch::S390, 3), "");
}

TEST(SyscallNumber, KnowNothingOfOthers) {
  EXPECT_FALSE(syscall_number(Arch::X86, "-"));
  EXPECT_FALSE(syscall_number(Arch::X86, "rea"));
  EXPECT_FALSE(syscall_number(Arch::X86, ""));
  EXPECT_FALSE(syscall_number(Arch::X86, "fstat"));  // its tracepoint is that of newfstat
  EXPECT_FALSE(syscall_number(Arch::Arm64, "open"));
  EXPECT_FALSE(syscall_number(Arch::S390, "read"));
}

}  // namespace
}  // namespace peregrine::abi
