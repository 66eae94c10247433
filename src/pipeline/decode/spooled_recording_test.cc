#include "pipeline/decode/spooled_recording.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/feature/feature_rows.h"
#include "data/header.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "support/byte_buffer.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::Layout;
using support::PerfDataBuilder;

std::vector<std::byte> recording(Layout layout, bool traced, std::size_t trace_size = 100) {
  PerfDataBuilder data(layout);
  data.attr({{"name", "intel_pt//"}, {"type", 8}, {"sample", "ip,tid,time"}, {"flags", "sample_id_all"}, {"ids", "1"}});
  support::ByteBuffer info;
  info.put32(1).put32(0).put64(8);
  if (traced) data.raw_record(70, 0, info.bytes());
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", 1}});
  if (traced) {
    data.record("auxtrace", {{"size", trace_size}, {"reference", 5}, {"on_cpu", 2}});
    data.raw_bytes(std::vector<std::byte>(trace_size, std::byte{0x5a}));
  }
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "later"}, {"time", 2}});
  return data.bytes();
}

// The reading end of a pipe; a thread writes `bytes` into the other end.
class Pipe {
 public:
  explicit Pipe(std::vector<std::byte> bytes) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    in_ = Fd(ends[0]);
    writer_ = std::thread([bytes = std::move(bytes), out = Fd(ends[1])] {
      EXPECT_TRUE(write_all(out.get(), bytes.data(), bytes.size()));
    });
  }
  ~Pipe() { writer_.join(); }
  data::Reader open() {
    auto reader = data::Reader::open_fd(std::move(in_), "-");
    EXPECT_TRUE(reader);
    return std::move(*reader);
  }

 private:
  Fd in_;
  std::thread writer_;
};

TEST(SpooledRecording, HoldsTheTracesOfAPipe) {
  constexpr std::size_t kSize = 3u << 20;  // more than fits in a pipe, and more than one read
  Pipe pipe(recording(Layout::Pipe, true, kSize));
  data::Reader piped = pipe.open();
  EXPECT_TRUE(needs_spooling(piped));
  const auto spooled = spool_recording(piped, support::memory_file());
  ASSERT_TRUE(spooled) << spooled.error().message;
  EXPECT_EQ(spooled->path(), "-");
  EXPECT_EQ(spooled->header().layout, data::Layout::File);
  EXPECT_TRUE(spooled->header().has(data::FeatureId::Auxtrace));
  EXPECT_EQ(spooled->evlist()[0].attr.type, 8u);
  const auto traces = find_traces(*spooled);
  ASSERT_TRUE(traces);
  EXPECT_EQ(traces->type, TraceType::IntelPt);
  ASSERT_EQ(traces->pieces.size(), 1u);
  EXPECT_EQ(traces->pieces[0].reference, 5u);
  EXPECT_EQ(*read_piece(*spooled, traces->pieces[0]), std::vector<std::byte>(kSize, std::byte{0x5a}));
}

TEST(SpooledRecording, IsNeededForPipesWithTracesOnly) {
  Pipe pipe(recording(Layout::Pipe, false));
  EXPECT_FALSE(needs_spooling(pipe.open()));
  const auto file = data::Reader::open_fd(support::memory_file(recording(Layout::File, true)), "file");
  EXPECT_FALSE(needs_spooling(*file));
  const auto saved = data::Reader::open_fd(support::memory_file(recording(Layout::Pipe, true)), "saved pipe");
  EXPECT_TRUE(needs_spooling(*saved));
}

TEST(SpooledRecording, EndsWhereThePipeBreaksOff) {
  auto bytes = recording(Layout::Pipe, true);
  bytes.resize(bytes.size() - 60);  // in the middle of the trace
  Pipe pipe(std::move(bytes));
  data::Reader piped = pipe.open();
  const auto spooled = spool_recording(piped, support::memory_file());
  ASSERT_TRUE(spooled);
  EXPECT_NE(piped.account().cut.count, 0u);
  EXPECT_TRUE(find_traces(*spooled));
}

TEST(SpooledRecording, ReportsAFullDisk) {
  Pipe pipe(recording(Layout::Pipe, true));
  data::Reader piped = pipe.open();
  Fd full(::open("/dev/full", O_RDWR | O_CLOEXEC));
  const auto spooled = spool_recording(piped, std::move(full));
  ASSERT_FALSE(spooled);
  EXPECT_EQ(spooled.error().system_errno, ENOSPC);
  EXPECT_NE(spooled.error().hint.find("TMPDIR"), std::string::npos);
}

TEST(UnnamedFile, LeavesNothingInItsFolder) {
  const std::string top = ::testing::TempDir() + "unnamed_file_test";
  std::filesystem::create_directory(top);
  const auto file = make_unnamed_file(top);
  ASSERT_TRUE(file);
  EXPECT_TRUE(write_all(file->get(), "x", 1));
  EXPECT_TRUE(std::filesystem::is_empty(top));
  std::filesystem::remove(top);
}

}  // namespace
}  // namespace peregrine
