#include "capture/synthesis/process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "support/synthesized_records.h"

namespace peregrine {
namespace {

using support::decode;
using support::FakeSystem;
using support::plain_attr;
using support::records_in;

constexpr const char* kMaps =
    "5611b0943000-5611b0945000 r--p 00000000 fe:00 248056   /usr/bin/sleep\n"
    "5611b0945000-5611b094a000 r-xp 00002000 fe:00 248056   /usr/bin/sleep\n"
    "7f342fc8e000-7f342fc90000 r-xp 00000000 00:00 0        [vdso]\n"
    "7f342fd00000-7f342fd01000 rwxp 00000000 00:00 0 \n";
TEST(SynthesizeProcesses, TellsForkCommAndCodeMaps) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  ProcessSynthesis what;
  what.trailer_size = abi::sample_id_size(plain_attr());
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), what, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 5u);
  abi::SideBandScratch scratch;
  const auto fork = decode<abi::ForkRecord>(records[0], scratch);
  EXPECT_EQ(fork.pid, 100u);
  EXPECT_EQ(fork.parent_pid, 1u);
  EXPECT_EQ(decode<abi::CommRecord>(records[1], scratch).comm, "sleep");
  const auto code = decode<abi::MmapRecord>(records[2], scratch);
  EXPECT_EQ(code.filename, "/usr/bin/sleep");
  EXPECT_EQ(code.start, 0x5611b0945000u);
  EXPECT_EQ(code.length, 0x5000u);
  EXPECT_EQ(code.page_offset, 0x2000u);
  EXPECT_EQ(code.inode, 248056u);
  EXPECT_EQ(code.protection, 5u);
  EXPECT_EQ(decode<abi::MmapRecord>(records[3], scratch).filename, "[vdso]");
  EXPECT_EQ(decode<abi::MmapRecord>(records[4], scratch).filename, "//anon");
}

TEST(SynthesizeProcesses, DataMapsOnlyWhenAsked) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  ProcessSynthesis what;
  what.data_maps = true;
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), what, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 6u);
  EXPECT_NE(records[2].misc & abi::misc_bit::MmapData, 0);
}

TEST(SynthesizeThreads, SkipsWhatIsGone) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_threads(system.root(), {}, {100, 200}, pool, out);
  EXPECT_EQ(records_in(out).size(), 4u);
}

TEST(SynthesizeProcesses, CountsThoseWhoseMapsCannotBeRead) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  system.process(200, 1, "hidden", kMaps);
  std::filesystem::remove(system.root().path("/proc/200/maps"));
  std::filesystem::create_directory(system.root().path("/proc/200/maps"));  // open succeeds, read fails
  WorkerPool pool(1);
  ByteWriter out;
  EXPECT_EQ(synthesize_all_processes(system.root(), {}, pool, out), std::vector<Pid>{200});
  EXPECT_EQ(synthesize_threads(system.root(), {}, {100, 200}, pool, out), std::vector<Pid>{200});
  EXPECT_EQ(synthesize_threads(system.root(), {}, {100, 300}, pool, out), std::vector<Pid>{})
      << "one that is gone has no maps";
}

TEST(SynthesizeProcesses, ThreadsFollowTheMainThreadAndItsMaps) {
  FakeSystem system;
  system.process(100, 1, "server", kMaps);
  system.file("/proc/100/task/101/status", "");
  system.file("/proc/101/status", "Name:\tworker\nTgid:\t100\nPid:\t101\nPPid:\t1\nUid:\t0\t0\t0\t0\nVmPeak:\t 1 kB\n");
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), {.trailer_size = abi::sample_id_size(plain_attr()), .maps = false}, pool,
                           out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 4u);
  abi::SideBandScratch scratch;
  const auto fork = decode<abi::ForkRecord>(records[2], scratch);
  EXPECT_EQ(fork.tid, 101u);
  EXPECT_EQ(fork.parent_pid, 100u) << "the process made it, not the process's parent";
  const auto comm = decode<abi::CommRecord>(records[3], scratch);
  EXPECT_EQ(comm.pid, 100u);
  EXPECT_EQ(comm.tid, 101u);
  EXPECT_EQ(comm.comm, "worker");
}

TEST(SynthesizeProcesses, KernelThreadsHaveNoMaps) {
  FakeSystem system;
  system.process(2, 0, "kthreadd", kMaps);
  system.file("/proc/2/status", "Name:\tkthreadd\nTgid:\t2\nPid:\t2\nPPid:\t0\nUid:\t0\t0\t0\t0\n");
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), {}, pool, out);
  EXPECT_EQ(records_in(out).size(), 2u);
}

TEST(SynthesizeProcesses, ComeByPidHoweverManyWorkersReadThem) {
  FakeSystem system;
  for (int pid = 300; pid > 200; --pid) system.process(pid, 1, "p" + std::to_string(pid), "");
  WorkerPool pool(4);
  ByteWriter out;
  synthesize_all_processes(system.root(), {.trailer_size = abi::sample_id_size(plain_attr())}, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 200u);
  abi::SideBandScratch scratch;
  for (u32 i = 0; i < 100; ++i) EXPECT_EQ(decode<abi::ForkRecord>(records[2 * i], scratch).pid, 201 + i);
}

TEST(SynthesizeProcesses, HugePagesAreAnonymousAndBrokenLinesAreSkipped) {
  FakeSystem system;
  system.process(100, 1, "java",
                 "7f0000000000-7f0000200000 rwxp 00000000 00:0f 12 /anon_hugepage (deleted)\n"
                 "not a map\n"
                 "7f0000400000-7f0000401000 r-xp 00000000 fe:00 99 /tmp/a b (deleted)\n");
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), {.trailer_size = abi::sample_id_size(plain_attr())}, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 4u);
  abi::SideBandScratch scratch;
  EXPECT_EQ(decode<abi::MmapRecord>(records[2], scratch).filename, "//anon");
  EXPECT_EQ(decode<abi::MmapRecord>(records[3], scratch).filename, "/tmp/a b (deleted)");
}

TEST(SynthesizeProcesses, AFileWithoutBuildIdIsNamedByItsInode) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  system.file("/usr/bin/sleep", "no ELF file");
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), {.trailer_size = abi::sample_id_size(plain_attr()), .build_ids = true}, pool,
                           out);
  abi::SideBandScratch scratch;
  const auto map = decode<abi::MmapRecord>(records_in(out).at(2), scratch);
  EXPECT_FALSE(map.has_build_id);
  EXPECT_EQ(map.inode, 248056u);
}

TEST(SynthesizeProcesses, NamespacesThatCannotBeReadAreZero) {
  FakeSystem system;
  system.process(100, 1, "sleep", "");
  system.file("/proc/100/ns/net", "");
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), {.trailer_size = abi::sample_id_size(plain_attr()), .namespaces = true}, pool,
                           out);
  abi::SideBandScratch scratch;
  const auto spaces = decode<abi::NamespacesRecord>(records_in(out).at(1), scratch);
  ASSERT_EQ(spaces.links.size(), 7u);
  EXPECT_NE(spaces.links[0].inode, 0u);
  EXPECT_EQ(spaces.links[6].inode, 0u);
}

TEST(SynthesizeThreads, AddsTheNameOfAMainThreadThatIsNotChosen) {
  FakeSystem system;
  system.process(100, 1, "server", kMaps);
  for (const char* tid : {"101", "102"})
    system.file(std::string("/proc/") + tid + "/status", std::string("Name:\tworker\nTgid:\t100\nPid:\t") + tid +
                                                             "\nPPid:\t1\nUid:\t0\t0\t0\t0\nVmPeak:\t 1 kB\n");
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_threads(system.root(), {.trailer_size = abi::sample_id_size(plain_attr())}, {101, 102}, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 6u) << "two workers, the server and its three maps";
  abi::SideBandScratch scratch;
  EXPECT_EQ(decode<abi::CommRecord>(records[0], scratch).comm, "worker");
  EXPECT_EQ(decode<abi::CommRecord>(records[1], scratch).comm, "server");
  EXPECT_EQ(decode<abi::CommRecord>(records[5], scratch).tid, 102u);
}

TEST(SynthesizeWorkload, HasTheNameOfItsCommandBeforeItRuns) {
  FakeSystem system;
  ByteWriter out;
  synthesize_workload(system.root(), {.trailer_size = abi::sample_id_size(plain_attr())}, 77, "cat", out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 1u);
  abi::SideBandScratch scratch;
  const auto comm = decode<abi::CommRecord>(records[0], scratch);
  EXPECT_EQ(comm.comm, "cat");
  EXPECT_EQ(comm.tid, 77u);
}

}  // namespace
}  // namespace peregrine
