// The location of a recording's traces, and their bytes in parts.
#include "pipeline/decode/trace/recorded_traces.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/fd.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;

std::vector<std::byte> payload(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

class RecordedTracesTest : public ::testing::Test {
 protected:
  RecordedTracesTest() {
    PerfDataBuilder data;
    data.attr({{"sample", "ip"}});
    data.record("auxtrace", {{"size", 1000}, {"offset", 0}, {"reference", 5}, {"index", 1}, {"on_cpu", 2}})
        .raw_bytes(payload(1000));
    data.record("sample", {{"ip", 1}});
    data.record("auxtrace", {{"size", 8}, {"offset", 1000}, {"index", 1}, {"on_cpu", 2}}).raw_bytes(payload(8));
    bytes_ = data.bytes();
  }
  // Only files can be read twice.
  data::Reader open(Bytes bytes) {
    const Fd fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    EXPECT_TRUE(write_all(fd.get(), bytes.data(), bytes.size()));
    auto reader = data::Reader::open(path_);
    EXPECT_TRUE(reader);
    return std::move(*reader);
  }
  ~RecordedTracesTest() override { std::remove(path_.c_str()); }

  std::string path_ = ::testing::TempDir() + "recorded_traces_test.data";
  std::vector<std::byte> bytes_;
};

TEST_F(RecordedTracesTest, AreFoundWithoutTheirBytes) {
  const data::Reader reader = open(bytes_);
  const auto traces = find_traces(reader);
  ASSERT_TRUE(traces);
  ASSERT_EQ(traces->pieces.size(), 2u);
  EXPECT_EQ(traces->pieces[0].size, 1000u);
  EXPECT_EQ(traces->pieces[0].reference, 5u);
  EXPECT_EQ(traces->pieces[1].offset, 1000u);
  EXPECT_EQ(traces->pieces[1].queue, 1u);
  EXPECT_EQ(traces->pieces[1].cpu, 2u);
}

TEST_F(RecordedTracesTest, APieceIsReadAsAWholeOrInParts) {
  const data::Reader reader = open(bytes_);
  const auto traces = find_traces(reader);
  ASSERT_TRUE(traces);
  const TracePiece& piece = traces->pieces[0];
  EXPECT_EQ(*read_piece(reader, piece), payload(1000));
  std::vector<std::byte> all;
  for (;;) {
    const auto part = read_piece(reader, piece, all.size(), 300);
    ASSERT_TRUE(part);
    ASSERT_LE(part->size(), 300u);
    if (part->empty()) break;
    all.insert(all.end(), part->begin(), part->end());
  }
  EXPECT_EQ(all, payload(1000));
  EXPECT_TRUE(read_piece(reader, piece, ~u64{0}, 300)->empty());
}

// If a piece is longer than the file, its available parts are read.
TEST_F(RecordedTracesTest, APieceMayBeCut) {
  const data::Reader reader = open(bytes_);
  const auto traces = find_traces(reader);
  ASSERT_TRUE(traces);
  TracePiece piece = traces->pieces[0];
  piece.size = ~u64{0};
  EXPECT_FALSE(read_piece(reader, piece));
  EXPECT_EQ(read_piece(reader, piece, 0, 1000)->size(), 1000u);
  EXPECT_FALSE(read_piece(reader, piece, u64{1} << 40, 1000));
  EXPECT_FALSE(read_piece(reader, piece, ~u64{0} - 5, 1000));
}

}  // namespace
}  // namespace peregrine
