#include "data/blktrace/blktrace_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "abi/blktrace_record.h"
#include "base/bytes.h"
#include "support/temporary_folder.h"

namespace peregrine::data {
namespace {

using ::testing::ElementsAre;

struct StreamEvent {
  u64 time = 0;
  u32 sequence = 0;
  u32 cpu = 0;
};

std::string stream_of(const std::vector<StreamEvent>& events, ByteOrder order = kHostOrder) {
  ByteWriter out(order);
  for (const StreamEvent& event : events) {
    abi::BlktraceRecord record;
    record.time = event.time;
    record.sequence = event.sequence;
    record.cpu = event.cpu;
    record.action = static_cast<u8>(abi::BlockAction::Queue);
    abi::encode_blktrace_record(record, out);
  }
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

std::vector<u64> times_of(BlktraceFiles& files) {
  std::vector<u64> times;
  while (true) {
    const auto record = files.next();
    if (!record || !*record) return times;
    times.push_back((*record)->time);
  }
}

TEST(BlktraceFiles, MergesCpusByTime) {
  const TemporaryFolder folder;
  folder.write("sda.blktrace.0", stream_of({{10, 1}, {30, 2}}));
  folder.write("sda.blktrace.1", stream_of({{20, 1}, {30, 2}, {40, 5}}, ByteOrder::Big));
  folder.write("sda.blktrace.2", "");
  const auto paths = find_blktrace_files(folder.path() + "/sda");
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(blktrace_device(folder.path() + "/sda"), "sda");
  EXPECT_EQ(blktrace_device(paths[1]), "sda");
  auto files = BlktraceFiles::open(paths);
  ASSERT_TRUE(files);
  EXPECT_THAT(times_of(*files), ElementsAre(10, 20, 30, 30, 40));
  EXPECT_EQ(files->missing(), 2u) << "3 and 4 of CPU 1";
  EXPECT_TRUE(files->damage().empty());
}

TEST(BlktraceFiles, CountTheSequenceOfEachCpuInAMergedFile) {
  const TemporaryFolder folder;
  folder.write("merged", stream_of({{10, 1, 0}, {20, 100, 1}, {30, 2, 0}, {40, 101, 1}, {50, 4, 0}}));
  auto files = BlktraceFiles::open({folder.path() + "/merged"});
  ASSERT_TRUE(files);
  EXPECT_EQ(times_of(*files).size(), 5u);
  EXPECT_EQ(files->missing(), 1u) << "3 of CPU 0";
}

TEST(BlktraceFiles, MayBelongToOthersOnlyIfAsked) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TemporaryFolder folder;
  folder.write("sda.blktrace.0", stream_of({{10, 1}}));
  const std::string path = folder.path() + "/sda.blktrace.0";
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  const auto refused = BlktraceFiles::open({path});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
  EXPECT_EQ(refused.error().hint, "if you trust it, read it with --force");
  EXPECT_TRUE(BlktraceFiles::open({path}, TrustedOwner::Anyone));
}

TEST(BlktraceFiles, KeepTheOrderOfACpu) {
  const TemporaryFolder folder;
  folder.write("sda.blktrace.0", stream_of({{30, 1}, {10, 2}}));
  auto files = BlktraceFiles::open({folder.path() + "/sda.blktrace.0"});
  ASSERT_TRUE(files);
  EXPECT_THAT(times_of(*files), ElementsAre(30, 10));
}

TEST(BlktraceFiles, EndAtDamage) {
  const TemporaryFolder folder;
  const std::string good = stream_of({{10, 1}, {20, 2}});
  folder.write("cut", good.substr(0, good.size() - 5));
  folder.write("bad", stream_of({{15, 1}}) + std::string(100, 'x'));
  auto files = BlktraceFiles::open({folder.path() + "/cut", folder.path() + "/bad"});
  ASSERT_TRUE(files);
  EXPECT_THAT(times_of(*files), ElementsAre(10, 15));
  ASSERT_EQ(files->damage().size(), 2u);
  EXPECT_EQ(files->damage()[0].offset, 48u);
}

TEST(BlktraceFiles, RejectOtherFiles) {
  const TemporaryFolder folder;
  folder.write("text", "hello");
  const auto text = BlktraceFiles::open({folder.path() + "/text"});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::Malformed);
  std::string newer = stream_of({{10, 1}});
  newer[0] = 8;
  folder.write("newer", newer);
  const auto version = BlktraceFiles::open({folder.path() + "/newer"});
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().kind, ErrorKind::Unsupported);
  EXPECT_TRUE(find_blktrace_files(folder.path() + "/text").empty());
  EXPECT_TRUE(find_blktrace_files(folder.path() + "/absent").empty());
}

}  // namespace
}  // namespace peregrine::data
