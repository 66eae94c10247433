#include "machine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "abi/record.h"
#include "machine/resolver/resolver.h"

namespace peregrine {
namespace {

using abi::SideBand;

SideBand comm(u32 pid, u32 tid, std::string_view name) { return {abi::CommRecord{pid, tid, name, false}, {}, 0, 0}; }
SideBand fork(u32 parent_pid, u32 parent_tid, u32 pid, u32 tid) {
  return {abi::ForkRecord{pid, parent_pid, tid, parent_tid, 0}, {}, 0, 0};
}
SideBand mmap(u32 pid, u64 start, u64 length, u64 offset, std::string_view name) {
  abi::MmapRecord record;
  record.pid = record.tid = pid;
  record.start = start;
  record.length = length;
  record.page_offset = offset;
  record.filename = name;
  return {record, {}, abi::misc_bit::User, 0};
}
SideBand kernel_mmap(u64 start, u64 length, std::string_view name) {
  SideBand result = mmap(~0u, start, length, start, name);
  result.misc = abi::misc_bit::Kernel;
  return result;
}

SymbolPlaces no_symbols() {
  SymbolPlaces places;
  places.load = false;
  return places;
}

class MachineTest : public ::testing::Test {
 protected:
  std::string where(u32 pid, u32 tid, Moment moment, u64 ip, u16 cpumode = abi::misc_bit::User) {
    machine.set_applied_until(100);
    Resolver resolver(machine);
    const Frame frame = resolver.at(resolver.frame(resolver.context(pid, tid, moment), ip, cpumode));
    if (!frame.dso) return "?";
    return fmt::format("{}+{:x}", machine.dsos().at(frame.dso).name, frame.address);
  }
  std::string comm_at(u32 pid, u32 tid, Moment moment) {
    return machine.comm_text(machine.thread(pid, tid, moment).comm);
  }

  Machine machine{no_symbols()};
};

TEST_F(MachineTest, UnknownThreadsAreNamedByTheirTid) {
  EXPECT_EQ(comm_at(7, 8, 1), ":8");
  EXPECT_EQ(comm_at(~0u, ~0u, 1), ":-1");
  EXPECT_EQ(comm_at(0, 0, 1), "swapper");
}

TEST_F(MachineTest, ReportsNameSamplesBeforeTheFirstNameByIt) {
  const auto reported = [&](u32 tid, Moment moment) {
    return machine.comm_text(machine.threads().first_name(machine.thread(tid, tid, moment).comm));
  };
  EXPECT_EQ(reported(7, 1), ":7");
  machine.apply(comm(7, 7, "sh"), 2);
  machine.apply(comm(7, 7, "ls"), 5);
  EXPECT_EQ(reported(7, 1), "sh");
  EXPECT_EQ(reported(7, 6), "ls");
  machine.apply(fork(7, 7, 9, 9), 8);  // a name inherited through fork is not a name of the previous thread
  EXPECT_EQ(reported(9, 7), ":9");
  EXPECT_EQ(comm_at(9, 9, 8), "ls");
}

TEST_F(MachineTest, MapsReadFromProcAndMapsSeenAreOfOneFile) {
  abi::MmapRecord record;
  record.version2 = true;
  record.length = 0x1000;
  record.filename = "/usr/lib/libc.so.6";
  record.major = 8;
  record.inode = 77;
  const auto map = [&](u32 pid, u64 generation) {
    record.pid = record.tid = pid;
    record.start = 0x1000;
    record.inode_generation = generation;
    machine.apply({record, {}, abi::misc_bit::User, 0}, pid);
    machine.set_applied_until(100);
    Resolver resolver(machine);
    return resolver.at(resolver.frame(resolver.context(pid, pid, 50), 0x1010, abi::misc_bit::User)).dso;
  };
  const DsoId first = map(7, 0);
  EXPECT_EQ(map(8, 4711), first);
  EXPECT_EQ(map(9, 0), first);
  const DsoId rebuilt = map(10, 4712);
  EXPECT_NE(rebuilt, first);
  EXPECT_EQ(map(11, 4711), first);
  EXPECT_EQ(map(12, 4712), rebuilt);
  record.inode = 78;
  const DsoId another = map(13, 0);
  EXPECT_NE(another, first);
  EXPECT_NE(another, rebuilt);
  record.inode = 77;
  EXPECT_EQ(map(14, 4712), rebuilt);
}

TEST(DsoTable, AFileTakesTheIdentityOfItsFirstMap) {
  DsoTable dsos((SymbolPlaces()));
  const FileIdentity one{.major = 8, .minor = 1, .inode = 5, .generation = 1}, two{8, 1, 6, 1};
  const DsoId unknown = dsos.find_or_add(DsoKind::File, "/bin/tool");
  EXPECT_EQ(dsos.find_or_add(DsoKind::File, "/bin/tool", one), unknown);
  EXPECT_EQ(dsos.at(unknown).identity, one);
  const DsoId other = dsos.find_or_add(DsoKind::File, "/bin/tool", two);
  EXPECT_NE(other, unknown);
  EXPECT_EQ(dsos.find_or_add(DsoKind::File, "/bin/tool", one), unknown);
  EXPECT_EQ(dsos.find_or_add(DsoKind::File, "/bin/tool", two), other);
  EXPECT_NE(dsos.find_or_add(DsoKind::File, "/bin/else", one), unknown) << "a hard link is another name";
}

// Time quadratic in the number of builds would be minutes.
TEST(DsoTable, TakesManyBuildsOfOneFile) {
  DsoTable dsos((SymbolPlaces()));
  constexpr u64 kBuilds = 200'000;
  for (u64 inode = 1; inode <= kBuilds; ++inode) dsos.find_or_add(DsoKind::File, "/a", {.major = 8, .inode = inode});
  EXPECT_EQ(dsos.size(), kBuilds);
  EXPECT_EQ(dsos.find_or_add(DsoKind::File, "/a", {.major = 8, .inode = 7}).value, 6u);
}

TEST_F(MachineTest, NamesHoldFromTheirMomentOn) {
  machine.apply(comm(7, 7, "sh"), 2);
  machine.apply(comm(7, 7, "ls"), 5);
  EXPECT_EQ(comm_at(7, 7, 1), ":7");
  EXPECT_EQ(comm_at(7, 7, 4), "sh");
  EXPECT_EQ(comm_at(7, 7, 5), "ls");
}

TEST_F(MachineTest, ForkCopiesNameAndMapsAndThenGoesItsOwnWay) {
  machine.apply(comm(7, 7, "sh"), 1);
  machine.apply(mmap(7, 0x1000, 0x1000, 0, "/bin/sh"), 2);
  machine.apply(fork(7, 7, 8, 8), 3);
  machine.apply(mmap(8, 0x5000, 0x1000, 0x200, "/lib/a.so"), 4);
  EXPECT_EQ(comm_at(8, 8, 3), "sh");
  EXPECT_EQ(where(8, 8, 3, 0x1010), "/bin/sh+10");
  EXPECT_EQ(where(8, 8, 4, 0x5010), "/lib/a.so+210");
  EXPECT_EQ(where(8, 8, 3, 0x5010), "?");
  EXPECT_EQ(where(7, 7, 9, 0x5010), "?");
}

TEST_F(MachineTest, ThreadsShareTheSpaceOfTheirProcess) {
  machine.apply(comm(7, 7, "sh"), 1);
  machine.apply(fork(7, 7, 7, 9), 2);
  machine.apply(mmap(7, 0x1000, 0x1000, 0, "/bin/sh"), 3);
  EXPECT_EQ(where(7, 9, 4, 0x1010), "/bin/sh+10");
  EXPECT_EQ(where(7, 10, 4, 0x1010), "/bin/sh+10") << "a thread that nobody announced";
}

TEST_F(MachineTest, IgnoresRecordsOfProcessesOutsideOfThePidNamespace) {
  machine.apply(comm(0, 0, "make"), 1);
  machine.apply(mmap(0, 0x1000, 0x1000, 0, "/bin/make"), 2);
  machine.apply(fork(0, 0, 0, 0), 3);
  machine.apply(fork(0, 0, 1, 1), 4);  // the first process of the namespace
  machine.apply(mmap(1, 0x1000, 0x1000, 0, "/bin/sh"), 5);
  EXPECT_EQ(machine.counts().outside_records, 3u);
  EXPECT_EQ(comm_at(0, 0, 6), "swapper");
  EXPECT_EQ(where(0, 0, 6, 0x1000), "?");
  EXPECT_EQ(where(1, 1, 6, 0x1000), "/bin/sh+0");
  machine.apply(comm(0, 0, "swapper/3"), 7);  // synthesized
  EXPECT_EQ(machine.counts().outside_records, 3u);
}

TEST_F(MachineTest, AReusedPidIsAnotherProcess) {
  machine.apply(comm(7, 7, "old"), 1);
  machine.apply(mmap(7, 0x1000, 0x1000, 0, "/bin/old"), 2);
  machine.apply(fork(1, 1, 7, 7), 5);
  EXPECT_EQ(where(7, 7, 4, 0x1000), "/bin/old+0");
  EXPECT_EQ(where(7, 7, 6, 0x1000), "?");
  EXPECT_EQ(comm_at(7, 7, 6), ":7");
  EXPECT_NE(machine.thread(7, 7, 4).thread, machine.thread(7, 7, 6).thread);
}

TEST_F(MachineTest, AnOverlappingMapHidesOnlyWhatItCovers) {
  machine.apply(mmap(7, 0x1000, 0x3000, 0, "/a"), 1);
  machine.apply(mmap(7, 0x2000, 0x1000, 0, "/b"), 2);
  EXPECT_EQ(where(7, 7, 3, 0x1fff), "/a+fff");
  EXPECT_EQ(where(7, 7, 3, 0x2000), "/b+0");
  EXPECT_EQ(where(7, 7, 3, 0x3000), "/a+2000");
  EXPECT_EQ(where(7, 7, 1, 0x2000), "/a+1000");
}

TEST_F(MachineTest, ManyMapsStayFindableAtEveryMoment) {
  for (u32 i = 0; i < 90; ++i) machine.apply(mmap(7, 0x1000 * (i % 40 + 1), 0x1000, 0x1000 * i, "/m"), i + 1);
  EXPECT_EQ(where(7, 7, 95, 0x1000 * 10), "/m+59000") << "the newest of three at that place: 89";
  EXPECT_EQ(where(7, 7, 60, 0x1000 * 10), "/m+31000") << "49";
  EXPECT_EQ(where(7, 7, 10, 0x1000 * 10), "/m+9000");
  EXPECT_EQ(where(7, 7, 9, 0x1000 * 10), "?");
  machine.forget_before(90);
  EXPECT_EQ(where(7, 7, 95, 0x1000 * 10), "/m+59000");
}

TEST_F(MachineTest, KernelModulesAndBpfProgramsShareTheKernelSpace) {
  machine.apply(kernel_mmap(0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text"), 1);
  machine.apply(kernel_mmap(0xffffffffa0000000, 0x1000, "/lib/modules/6.1/kernel/fs/x-y.ko.xz"), 2);
  machine.apply(SideBand{abi::KsymbolRecord{0xffffffffa0002000, 0x100, 1, 0, "bpf_prog_1"}, {}, 0, 0}, 3);
  machine.apply(SideBand{abi::KsymbolRecord{0xffffffffa0002000, 0x100, 1, 1, "bpf_prog_1"}, {}, 0, 0}, 5);
  EXPECT_EQ(where(7, 7, 4, 0xffffffff81000010, abi::misc_bit::Kernel), "[kernel.kallsyms]+ffffffff81000010");
  EXPECT_EQ(where(7, 7, 4, 0xffffffffa0000010, abi::misc_bit::Kernel), "[x_y]+ffffffffa0000010");
  EXPECT_EQ(where(7, 7, 4, 0xffffffffa0002010, abi::misc_bit::Kernel), "bpf_prog_1+ffffffffa0002010");
  EXPECT_EQ(where(7, 7, 5, 0xffffffffa0002010, abi::misc_bit::Kernel), "?");
}

TEST_F(MachineTest, ChainsFollowTheirContextMarkers) {
  machine.apply(mmap(7, 0x1000, 0x1000, 0, "/bin/sh"), 1);
  machine.apply(kernel_mmap(0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text"), 2);
  machine.set_applied_until(9);
  Resolver resolver(machine);
  std::vector<FrameId> frames;
  const std::vector<u64> chain{abi::kContextKernel, 0xffffffff81000010, abi::kContextUser, 0x1010, 0x1010, 0x99};
  resolver.chain(resolver.context(7, 7, 3), chain, 127, frames);
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(resolver.at(frames[0]).kind, FrameKind::Kernel);
  EXPECT_EQ(frames[1], frames[2]);
  EXPECT_FALSE(resolver.at(frames[3]).dso);
  frames.clear();
  resolver.chain(resolver.context(7, 7, 3), chain, 2, frames);
  EXPECT_EQ(frames.size(), 2u);
  frames.clear();
  resolver.chain(resolver.context(7, 7, 3), std::vector<u64>{0x1010, abi::kContextGuest, 1}, 127, frames);
  EXPECT_TRUE(frames.empty()) << "an unknown marker spoils the chain";
}

SideBand exit(u32 pid, u32 tid) { return {abi::ExitRecord{pid, 1, tid, 1, 0}, {}, 0, 0}; }

TEST_F(MachineTest, ForgetsExitedThreadsAndTheirMapsWhenTold) {
  machine.forget_exited_threads();
  machine.apply(comm(7, 7, "make"), 1);
  machine.apply(mmap(7, 0x1000, 0x1000, 0, "/usr/bin/make"), 2);
  Moment moment = 3;
  std::size_t most_states = 0, most_maps = 0;
  for (u32 pid = 100; pid < 50'100; ++pid) {
    machine.apply(fork(7, 7, pid, pid), moment++);
    machine.apply(fork(pid, pid, pid, pid + 100'000), moment++);
    machine.apply(comm(pid, pid, "cc"), moment++);
    machine.apply(mmap(pid, 0x2000, 0x1000, 0, "/usr/bin/cc"), moment++);
    machine.apply(exit(pid, pid + 100'000), moment++);
    machine.apply(exit(pid, pid), moment++);
    if (pid % 100 != 0) continue;
    machine.forget_before(moment - 5);
    most_states = std::max(most_states, machine.threads().state_count());
    most_maps = std::max(most_maps, machine.spaces().map_count());
    ASSERT_EQ(comm_at(pid, pid, moment), "cc") << "it ended after the moment that was named";
  }
  EXPECT_LT(most_states, 10'000u);
  EXPECT_LT(most_maps, 10'000u);
  EXPECT_EQ(comm_at(7, 7, moment), "make");
  EXPECT_EQ(where(7, 7, moment, 0x1010), "/usr/bin/make+10");
  machine.apply(fork(7, 7, 100, 100), moment);
  EXPECT_EQ(comm_at(100, 100, moment), "make") << "a tid that is used again";
  EXPECT_EQ(where(100, 100, moment, 0x1010), "/usr/bin/make+10");
  EXPECT_EQ(where(100, 100, moment, 0x2010), "?") << "no map of the thread that had the tid before";
}

TEST_F(MachineTest, DsosAreNamedAsLinuxPerfNamesThem) {
  machine.apply(mmap(7, 0x1000, 0x1000, 0, "//anon"), 1);
  machine.apply(mmap(7, 0x3000, 0x1000, 0, "/usr/lib/libc.so.6"), 2);
  const Dso& jit = machine.dsos().at(machine.dsos().find("/tmp/perf-7.map"));
  EXPECT_EQ(jit.short_name, "[JIT] tid 7");
  EXPECT_EQ(where(7, 7, 3, 0x1010), "/tmp/perf-7.map+1010") << "its addresses are absolute";
  EXPECT_EQ(machine.dsos().at(machine.dsos().find("/usr/lib/libc.so.6")).short_name, "libc.so.6");
}

}  // namespace
}  // namespace peregrine
