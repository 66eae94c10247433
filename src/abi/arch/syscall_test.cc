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
