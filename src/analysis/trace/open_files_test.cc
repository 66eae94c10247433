#include "analysis/trace/open_files.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <span>

#include "abi/arch/syscall.h"

namespace peregrine {
namespace {

// Calls of process 7, by their numbers on x86-64.
class OpenFilesTest : public ::testing::Test {
 protected:
  enum Number : u32 {
    Read = 0,
    Close = 3,
    Dup2 = 33,
    Socket = 41,
    Execve = 59,
    Fcntl = 72,
    Openat = 257,
    Eventfd2 = 290
  };

  static TracedCall made(u32 number, i64 result, std::array<u64, kMostArguments> arguments = {}) {
    TracedCall call;
    call.set = abi::SyscallSet::X86_64;
    call.number = number;
    call.pid = call.tid = 7;
    call.result = result;
    call.arguments = arguments;
    return call;
  }
  void open(i64 descriptor, std::string_view path, bool cut = false) {
    TracedCall call = made(Openat, descriptor);
    call.pieces = 1;
    call.piece[0] = {.argument = 1, .cut = cut, .bytes = std::as_bytes(std::span(path))};
    files_.note(call);
  }

  Signatures wide_{abi::SyscallSet::X86_64}, narrow_{abi::SyscallSet::I386};
  OpenFiles files_{wide_, narrow_, false};
};

TEST_F(OpenFilesTest, ADescriptorHasTheFileThatWasOpened) {
  open(3, "/etc/passwd");
  EXPECT_EQ(files_.path(7, 3), "/etc/passwd");
  EXPECT_EQ(files_.path(7, 4), "");
  EXPECT_EQ(files_.path(8, 3), "") << "another process";
}

TEST_F(OpenFilesTest, ANewProcessHasTheFilesOfItsParent) {
  open(3, "/etc/passwd");
  files_.know(7, 0, "/dev/null");
  files_.inherit(7, 8);
  files_.note(made(Close, 0, {3}));
  EXPECT_EQ(files_.path(8, 3), "/etc/passwd");
  TracedCall executed = made(Execve, 0);
  executed.pid = 8;
  files_.note(executed);
  EXPECT_EQ(files_.path(8, 3), "") << "it may be closed on exec";
  EXPECT_EQ(files_.path(8, 0), "/dev/null");
}

TEST_F(OpenFilesTest, ClosingForgetsTheFile) {
  open(3, "/etc/passwd");
  files_.note(made(Close, 0, {3}));
  EXPECT_EQ(files_.path(7, 3), "");
}

TEST_F(OpenFilesTest, AFailedOpenChangesNothing) {
  open(3, "/etc/passwd");
  open(-ENOENT, "/etc/shadow");
  EXPECT_EQ(files_.path(7, 3), "/etc/passwd");
}

TEST_F(OpenFilesTest, RelativeAndCutPathsAreUnknown) {
  open(3, "/old");
  open(3, "relative");
  EXPECT_EQ(files_.path(7, 3), "") << "and it is no longer the old file";
  open(4, "/very/long", true);
  EXPECT_EQ(files_.path(7, 4), "");
}

TEST_F(OpenFilesTest, ACopyHasTheSameFile) {
  open(3, "/etc/passwd");
  files_.note(made(Dup2, 9, {3, 9}));
  files_.note(made(Close, 0, {3}));
  EXPECT_EQ(files_.path(7, 9), "/etc/passwd");
}

TEST_F(OpenFilesTest, FcntlCopiesOnlyWhenItDuplicates) {
  constexpr u64 kDuplicate = 0, kSetFlags = 2, kGetStatus = 3, kDuplicateAndCloseOnExec = 1030;
  open(1, "/out");
  open(3, "/etc/passwd");
  files_.note(made(Fcntl, 0, {3, kSetFlags, 1}));
  files_.note(made(Fcntl, 1, {3, kGetStatus}));  // opened for writing: 1 is not a descriptor
  EXPECT_EQ(files_.path(7, 0), "");
  EXPECT_EQ(files_.path(7, 1), "/out");
  files_.note(made(Fcntl, 4, {3, kDuplicate, 4}));
  files_.note(made(Fcntl, 5, {3, kDuplicateAndCloseOnExec, 4}));
  EXPECT_EQ(files_.path(7, 4), "/etc/passwd");
  EXPECT_EQ(files_.path(7, 5), "/etc/passwd");
}

TEST_F(OpenFilesTest, ANewDescriptorReplacesTheFileBefore) {
  for (const u32 number : {u32{Socket}, u32{Eventfd2}}) {
    open(3, "/etc/passwd");
    files_.note(made(number, 3));
    EXPECT_EQ(files_.path(7, 3), "") << number;
  }
}

TEST_F(OpenFilesTest, AnotherProgramHasUnknownFiles) {
  open(3, "/etc/passwd");
  files_.note(made(Execve, -ENOENT));
  EXPECT_EQ(files_.path(7, 3), "/etc/passwd") << "it failed";
  files_.note(made(Execve, 0));
  EXPECT_EQ(files_.path(7, 3), "");
}

TEST_F(OpenFilesTest, OtherCallsAndImpossibleDescriptorsDoNoHarm) {
  files_.note(made(Read, 3, {3}));
  files_.note(made(~u32{0}, 3));
  files_.note(made(Close, 0, {~u64{0}}));
  open(i64{1} << 40, "/far");
  EXPECT_EQ(files_.path(7, -1), "");
  EXPECT_EQ(files_.path(7, i64{1} << 40), "");
  EXPECT_EQ(files_.asked(), 0u) << "nothing is read from /proc for a recording";
}

}  // namespace
}  // namespace peregrine
