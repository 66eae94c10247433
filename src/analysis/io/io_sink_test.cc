#include "analysis/io/io_sink.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/arch/syscall.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using ::testing::UnorderedElementsAre;

constexpr u64 kPartition = 254u << 20 | 1, kIoDisk = 254u << 20;
constexpr u64 kRead = 0, kWrite = 1, kFsync = 74, kWritev = 20;

// Events of one process on a kernel with all tracepoints, in order.
class IoStory {
 public:
  explicit IoStory(bool lookups = true) {
    recording_.event("raw_syscalls:sys_enter", {"id", "args0", "args1", "args2", "args3", "args4", "args5"});
    recording_.event("raw_syscalls:sys_exit", {"id", "ret"});
    recording_.event("filemap:mm_filemap_add_to_page_cache", {"i_ino", "s_dev", "index", "order"});
    if (lookups) recording_.event("filemap:mm_filemap_get_pages", {"i_ino", "s_dev", "index", "last_index"});
    recording_.event("filemap:mm_filemap_fault", {"i_ino", "s_dev"});
    recording_.event("writeback:writeback_dirty_folio", {"name[16]", "ino"});
    recording_.event("writeback:writeback_single_inode_start", {"name[16]", "ino"});
    recording_.event("block:block_bio_queue", {"dev", "sector", "nr_sector", "rwbs[8]", "comm[16]"});
    recording_.event("block:block_rq_complete", {"dev", "sector", "nr_sector", "rwbs[8]"});
    recording_.comm(7, "cp");
    recording_.comm(9, "kworker");
  }
  void enter(u64 number, u64 first = 0, u64 second = 0, u64 third = 0) {
    hit("raw_syscalls:sys_enter", {number, first, second, third, 0, 0, 0});
  }
  void leave(u64 number, i64 result) { hit("raw_syscalls:sys_exit", {number, static_cast<u64>(result)}); }
  void call(u64 number, u64 descriptor, u64 bytes, i64 result) {
    enter(number, descriptor, 0, bytes);
    leave(number, result);
  }
  void add(u64 inode, u64 page, u64 order = 0) {
    hit("filemap:mm_filemap_add_to_page_cache", {inode, kPartition, page, order});
  }
  void look_up(u64 inode, u64 first, u64 last) {
    hit("filemap:mm_filemap_get_pages", {inode, kPartition, first, last});
  }
  void queue(u64 sector, const char* kind) { hit("block:block_bio_queue", {kIoDisk, sector, 8, kind, "cp"}); }
  void complete(u64 sector, const char* kind) { hit("block:block_rq_complete", {kIoDisk, sector, 8, kind}, 0); }
  void hit(std::string_view event, const std::vector<support::Value>& values, std::optional<u32> pid = {}) {
    recording_.hit(event, {.time = time_ += 1000, .pid = pid.value_or(pid_), .tid = pid.value_or(pid_)}, values);
  }
  void as(u32 pid) { pid_ = pid; }
  support::TracepointRecording& recording() { return recording_; }

  // "process|file|operation: …" of each row, with the figures that are not 0.
  std::vector<std::string> rows(IoSink::Request request = {}) {
    request.disk_of = [](u32 device) { return device & ~((1u << 20) - 1); };
    request.device_name = [](u32 device) { return fmt::format("{}:{}", device >> 20, device & ((1u << 20) - 1)); };
    support::ReplayedRecording replayed(recording_);
    IoSink sink(replayed.reader(), abi::SyscallSet::X86_64, std::move(request));
    replayed.run(sink);
    EXPECT_TRUE(sink.outcome());
    gaps = sink.gaps();
    std::vector<std::string> lines;
    for (const IoRow& row : sink.rows()) {
      std::string line =
          fmt::format("{}|{}|{}:", row.process, row.file, kIoOperations[static_cast<std::size_t>(row.operation)]);
      for (const IoOrder& figure : kIoOrders)
        if (row.sums.*figure.value != 0) line += fmt::format(" {}={}", figure.name, row.sums.*figure.value);
      lines.push_back(std::move(line));
    }
    return lines;
  }
  IoSink::Gaps gaps;

 private:
  support::TracepointRecording recording_;
  u64 time_ = 0;
  u32 pid_ = 7;
};

TEST(IoSink, CountsCallsAndBytes) {
  IoStory story;
  story.call(kRead, 3, 4096, 100);
  story.call(kRead, 3, 4096, 0);
  story.call(kRead, 9, 10, -9);
  story.call(kFsync, 3, 0, 0);
  EXPECT_THAT(story.rows(),
              UnorderedElementsAre("cp 7|descriptor 3|read: time=2000 calls=2 requested=8192 returned=100",
                                   "cp 7|descriptor 9|read: time=1000 calls=1 errors=1 requested=10",
                                   "cp 7|descriptor 3|sync: time=1000 calls=1"));
  EXPECT_TRUE(story.gaps.names);
  EXPECT_FALSE(story.gaps.calls || story.gaps.lookups || story.gaps.block);
}

TEST(IoSink, CountsNoMoreBytesThanACallCanTransfer) {
  IoStory story;
  story.call(kRead, 3, ~u64{0} >> 1, 100);
  EXPECT_THAT(story.rows(),
              UnorderedElementsAre("cp 7|descriptor 3|read: time=1000 calls=1 requested=2147479552 returned=100"));
}

TEST(IoSink, DividesPagesIntoHitsAndMisses) {
  IoStory story;
  // Four pages: the call adds the last two and reads ahead two more. The lookup is repeated after the first folio.
  story.enter(kRead, 3, 0, 16384);
  story.add(50, 2, 2);
  story.look_up(50, 0, 3);
  story.look_up(50, 1, 3);
  story.leave(kRead, 16384);
  // At the end of the file: one page of the four that the call asked for.
  story.enter(kRead, 3, 0, 16384);
  story.look_up(50, 4, 7);
  story.leave(kRead, 100);
  EXPECT_THAT(story.rows(),
              UnorderedElementsAre("cp 7|inode 50 on 254:1|read: time=6000 calls=2 requested=32768 returned=16484 "
                                   "hits=3 misses=2 added=4"));
}

TEST(IoSink, AssignsRequestsToTheCallThatQueuedThem) {
  IoStory story;
  story.enter(kRead, 3, 0, 4096);
  story.add(50, 0);
  story.queue(100, "R");
  story.complete(100, "R");
  story.look_up(50, 0, 0);
  story.leave(kRead, 4096);
  EXPECT_THAT(story.rows(),
              UnorderedElementsAre("cp 7|inode 50 on 254:1|read: time=5000 calls=1 requested=4096 returned=4096 "
                                   "misses=1 added=1 requests=1 disk-bytes=4096 disk-time=1000"));
}

TEST(IoSink, AssignsWritebackToTheFileThatWasDirtied) {
  IoStory story;
  story.enter(kWrite, 3, 0, 4096);
  story.add(50, 0);
  story.hit("writeback:writeback_dirty_folio", {"254:0", 50});
  story.leave(kWrite, 4096);
  story.as(9);
  story.hit("writeback:writeback_single_inode_start", {"254:0", 50});
  story.queue(100, "W");
  story.complete(100, "W");
  story.hit("writeback:writeback_single_inode_start", {"254:0", 51});
  story.queue(200, "W");
  const char* writeback = "kworker 9|inode 50 on 254:1|writeback: requests=1 disk-bytes=4096 disk-time=1000";
  const std::vector<std::string> all = story.rows();
  EXPECT_THAT(all, ::testing::Contains("cp 7|inode 50 on 254:1|write: added=1 dirtied=1"));
  EXPECT_THAT(all, ::testing::Contains(writeback));
  EXPECT_THAT(all, ::testing::Contains("kworker 9|[no file]|writeback: requests=1 disk-bytes=4096"));
  const std::vector<std::string> wanted = story.rows({.processes = {7}});
  EXPECT_THAT(wanted, ::testing::Contains(writeback));
  EXPECT_THAT(wanted, ::testing::Not(::testing::Contains(::testing::HasSubstr("[no file]"))))
      << "nothing that the process has to do with";
}

TEST(IoSink, CountsFaultsOutsideOfCalls) {
  IoStory story;
  story.hit("filemap:mm_filemap_fault", {60, kPartition});
  story.add(60, 0, 4);
  story.queue(8, "RA");
  EXPECT_THAT(story.rows(), UnorderedElementsAre("cp 7|inode 60 on 254:1|fault: calls=1 added=16 requests=1 "
                                                 "disk-bytes=4096"));
}

TEST(IoSink, ShowsOnlyTheProgramThatTheRecorderStarted) {
  IoStory story;
  story.recording().record("fork", {{"pid", 8}, {"tid", 8}, {"ppid", 5}, {"ptid", 5}, {"time", 1}});
  story.as(8);
  story.call(kRead, 3, 1, 1);
  story.recording().record("comm", {{"pid", 8}, {"tid", 8}, {"comm", "sh"}, {"misc", 0x2000}, {"time", 2500}});
  story.call(kRead, 4, 2, 2);
  story.as(7);
  story.call(kRead, 5, 3, 3);
  EXPECT_THAT(story.rows({.recorder = 5}),
              UnorderedElementsAre("sh 8|descriptor 4|read: time=1000 calls=1 requested=2 returned=2"));
}

TEST(IoSink, ReportsWhatTheRecordingLacks) {
  IoStory story(false);
  story.enter(kWritev, 3, 0, 2);
  story.leave(kWritev, 100);
  EXPECT_THAT(story.rows(),
              UnorderedElementsAre("cp 7|descriptor 3|write: time=1000 calls=1 requested=100 returned=100"));
  EXPECT_TRUE(story.gaps.lookups);
  EXPECT_EQ(story.gaps.vectors, 1u);
}

TEST(IoTree, HasSumsAtEachLevel) {
  std::vector<IoRow> rows(3);
  rows[0] = {.process = "cp 7", .file = "/a", .operation = IoOperation::Read, .sums = {.calls = 1, .time = 5}};
  rows[1] = {.process = "cp 7", .file = "/b", .operation = IoOperation::Write, .sums = {.calls = 2, .time = 10}};
  rows[2] = {.process = "dd 8", .file = "/a", .operation = IoOperation::Read, .sums = {.calls = 4, .time = 20}};
  const std::vector<IoKey> keys{IoKey::File, IoKey::Process};
  const IoNode tree = make_io_tree(rows, keys, kIoOrders[0]);
  EXPECT_EQ(tree.sums.calls, 7u);
  ASSERT_EQ(tree.parts.size(), 2u);
  EXPECT_EQ(tree.parts[0].label, "/a");
  EXPECT_EQ(tree.parts[0].sums.time, 25u);
  ASSERT_EQ(tree.parts[0].parts.size(), 2u);
  EXPECT_EQ(tree.parts[0].parts[0].label, "dd 8");
  const IoNode by_calls = make_io_tree(rows, keys, kIoOrders[1]);
  EXPECT_EQ(by_calls.parts[0].parts[0].sums.calls, 4u);
}

TEST(IoFiles, GiveAnInodeThePathThatIsLearntLater) {
  IoFiles files;
  const auto name = [](u32) { return std::string("vda1"); };
  const u32 early = files.with_inode({5, 12});
  EXPECT_EQ(files.label(early, name), "inode 12 on vda1");
  files.learn({5, 12}, files.with_path("/tmp/x"));
  EXPECT_EQ(files.label(early, name), "/tmp/x");
  files.learn({5, 12}, files.with_path("/tmp/y"));
  EXPECT_EQ(files.label(early, name), "/tmp/x") << "the inode of a deleted file was used again";
  EXPECT_EQ(files.label(files.with_inode({5, 12}), name), "/tmp/y");
  EXPECT_EQ(files.label(files.with_inode({3, 254u << 20}), name), "metadata of vda1");
}

}  // namespace
}  // namespace peregrine
