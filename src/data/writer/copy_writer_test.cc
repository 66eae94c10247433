// Copies of recordings, byte by byte, and records packed into COMPRESSED records.
#include "data/writer/copy_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "abi/record.h"
#include "data/feature/feature_rows.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "data/stream/zstd_stream.h"
#include "data/writer/async_writes.h"
#include "data/writer/record_compressor.h"
#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine::data {
namespace {

using ::testing::ElementsAre;

// The output of a CopyWriter while it has the file.
class WrittenCopy {
 public:
  explicit WrittenCopy(bool pipe = false)
      : fd_(::memfd_create("copy", MFD_CLOEXEC)), writer(Fd(::dup(fd_.get())), "copy", pipe) {}

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all(static_cast<std::size_t>(::lseek(fd_.get(), 0, SEEK_END)));
    EXPECT_TRUE(pread_full(fd_.get(), all.data(), all.size(), 0));
    return all;
  }
  Result<Reader> read() const {
    ::lseek(fd_.get(), 0, SEEK_SET);
    return Reader::open_fd(Fd(::dup(fd_.get())), "copy");
  }

 private:
  Fd fd_;

 public:
  CopyWriter writer;
};

support::PerfDataBuilder copied_recording(support::Endian endian = support::Endian::Little) {
  support::PerfDataBuilder data(support::Layout::File, endian);
  data.attr({{"sample", "identifier,ip,time"}, {"ids", 5}}).feature("hostname", {{"text", "here"}});
  data.record("sample", {{"ip", 0x10}, {"time", 1}, {"id", 5}});
  return data;
}
std::size_t section_start(const support::PerfDataBuilder& data, std::string_view name) {
  const auto sections = data.sections();
  return std::ranges::find(sections, name, &support::Section::name)->offset;
}

TEST(CopyWriter, CopiesAFileByteForByte) {
  for (const auto endian : {support::Endian::Little, support::Endian::Big}) {
    const support::PerfDataBuilder original = copied_recording(endian);
    const std::vector<std::byte> bytes = original.bytes();
    const std::size_t data = section_start(original, "data"), table = section_start(original, "feature table");
    WrittenCopy copy;
    ASSERT_TRUE(copy.writer.begin(Bytes(bytes).first(data)));
    EXPECT_EQ(copy.writer.place(), data);
    ASSERT_TRUE(copy.writer.append(Bytes(bytes).subspan(data, table - data)));
    EXPECT_EQ(copy.writer.place(), table);
    const FeatureSize sizes[] = {{static_cast<u32>(FeatureId::Hostname), bytes.size() - table - 16}};
    ASSERT_TRUE(copy.writer.begin_features(sizes));
    ASSERT_TRUE(copy.writer.append_feature(Bytes(bytes).subspan(table + 16)));
    ASSERT_TRUE(copy.writer.end());
    EXPECT_EQ(copy.bytes(), bytes);
  }
}

TEST(CopyWriter, ChangesTheFeaturesOfTheHeaderIfTheyAreOthers) {
  const support::PerfDataBuilder original = copied_recording();
  WrittenCopy copy;
  ASSERT_TRUE(copy.writer.begin(Bytes(original.bytes()).first(section_start(original, "data"))));
  ASSERT_TRUE(copy.writer.begin_features({}));
  ASSERT_TRUE(copy.writer.end());
  const auto reader = copy.read();
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_FALSE(reader->header().features.hostname);
  EXPECT_TRUE(reader->header().present.empty());
  EXPECT_EQ(reader->evlist().find_id(5), 0u);
}

TEST(CopyWriter, PadsAttrsToTheLargest) {
  Evlist evlist(ByteOrder::Big);
  for (const u32 size : {64u, 136u, 112u}) {
    Event event;
    event.attr.size = size;
    event.attr.config = size;
    event.ids = {size, size + 1};
    evlist.add(std::move(event));
  }
  WrittenCopy copy;
  ASSERT_TRUE(copy.writer.begin(evlist, {}));
  ASSERT_TRUE(copy.writer.begin_features({}));
  ASSERT_TRUE(copy.writer.end());
  const auto reader = copy.read();
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->header().order, ByteOrder::Big);
  EXPECT_EQ(reader->header().attr_size, 136 + 16u);
  ASSERT_EQ(reader->evlist().size(), 3u);
  EXPECT_EQ(reader->evlist()[2].attr.config, 112u);
  EXPECT_EQ(reader->evlist()[0].attr.size, 136u);
  EXPECT_THAT(reader->evlist()[2].ids, ElementsAre(112, 113));
}

TEST(CopyWriter, SendsWhatARecordCanHoldDownAPipe) {
  Evlist evlist;
  Event event;
  event.ids = {5};
  event.name = "cycles";
  evlist.add(std::move(event));
  const support::ByteBuffer hostname = support::ByteBuffer().put32(5).text("here").zeros(1);
  const FeatureBytes features[] = {{static_cast<u32>(FeatureId::Hostname), hostname.bytes()},
                                   {static_cast<u32>(FeatureId::Stat), {}}};
  WrittenCopy copy(true);
  EXPECT_TRUE(copy.writer.is_pipe());
  ASSERT_TRUE(copy.writer.begin(evlist, features));
  EXPECT_EQ(copy.writer.place(), copy.bytes().size());
  ASSERT_TRUE(copy.writer.end()) << "a pipe cannot go back to its header";
  auto reader = copy.read();
  ASSERT_TRUE(reader) << reader.error().message;
  abi::RecordView record;
  while (reader->next(record).value_or(false)) continue;
  EXPECT_EQ(reader->header().layout, Layout::Pipe);
  EXPECT_EQ(reader->evlist()[0].name, "cycles");
  EXPECT_EQ(reader->header().features.hostname, "here");
  EXPECT_FALSE(reader->header().features.stat) << "no pipe says that";
}

TEST(CopyWriter, RejectsThePreambleOfAnotherLayout) {
  const support::PerfDataBuilder original = copied_recording();
  const std::vector<std::byte> bytes = original.bytes();
  WrittenCopy pipe(true);
  const auto begun = pipe.writer.begin(Bytes(bytes).first(section_start(original, "data")));
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message, "copy: preamble has a different layout");
  EXPECT_EQ(WrittenCopy().writer.begin(Bytes(bytes).first(8)).error().kind, ErrorKind::Malformed);
}

// The sizes of the COMPRESSED records in `bytes`; their decompressed contents go to `raw`.
std::vector<std::size_t> compressed_sizes(Bytes bytes, std::vector<std::byte>& raw) {
  std::vector<std::size_t> sizes;
  ZstdDecoder decoder;
  std::vector<std::byte> room(RecordCompressor::kMmapLength);
  while (!bytes.empty()) {
    const std::size_t size = load<u16>(bytes.data() + 6);
    EXPECT_EQ(load<u32>(bytes.data()), 81u);  // PERF_RECORD_COMPRESSED
    const auto step = decoder.run(bytes.subspan(8, size - 8), room);
    if (!step) {
      ADD_FAILURE() << step.error().message;
      break;
    }
    EXPECT_EQ(step->consumed, size - 8);
    EXPECT_LE(step->produced, RecordCompressor::kMostRaw) << "linux-perf drops the rest";
    raw.insert(raw.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(step->produced));
    sizes.push_back(step->produced);
    bytes = bytes.subspan(size);
  }
  return sizes;
}

TEST(RecordCompressor, PacksRecordsThatLinuxPerfCanUnpack) {
  std::vector<std::byte> all;
  u32 state = 1;
  for (std::size_t i = 0; i < (std::size_t{3} << 20); ++i) {
    if (i % 16 == 0) state = state * 1664525 + 1013904223;  // compresses, but not to nothing
    all.push_back(static_cast<std::byte>(state >> 24));
  }
  RecordCompressor compressor(1);
  std::vector<std::byte> packed, raw;
  for (std::size_t at = 0; at < all.size(); at += 100'000)
    ASSERT_TRUE(compressor.add(Bytes(all).subspan(at, std::min<std::size_t>(100'000, all.size() - at)), packed));
  ASSERT_TRUE(compressor.flush(packed));
  EXPECT_LT(packed.size(), all.size() / 2);
  EXPECT_GT(compressed_sizes(packed, raw).size(), 5u);
  EXPECT_EQ(raw, all);
}

TEST(RecordCompressor, WritesNothingForNothing) {
  RecordCompressor compressor(1);
  std::vector<std::byte> packed, raw;
  ASSERT_TRUE(compressor.add({}, packed));
  ASSERT_TRUE(compressor.flush(packed));
  EXPECT_TRUE(packed.empty());
  ASSERT_TRUE(compressor.add(support::ByteBuffer().text("words").bytes(), packed));
  ASSERT_TRUE(compressor.flush(packed));
  const std::size_t size = packed.size();
  ASSERT_TRUE(compressor.flush(packed));
  EXPECT_EQ(packed.size(), size) << "a second flush has nothing to add";
  EXPECT_THAT(compressed_sizes(packed, raw), ElementsAre(5));
}

TEST(AsyncWrites, WriteEachPieceAtItsPlaceHoweverFewBlocksThereAre) {
  const TemporaryFolder folder;
  for (const std::size_t blocks : {1u, 3u}) {
    const Fd fd(::open(folder.path("out").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    AsyncWrites writes(blocks);
    for (const u64 place : {3u, 0u, 9u, 6u}) {
      std::string first = fmt::format("{}", place), second = "ab";
      const iovec pieces[] = {{first.data(), first.size()}, {second.data(), second.size()}};
      ASSERT_TRUE(writes.start(fd.get(), pieces, place));
      first = second = "gone";  // the bytes were copied
    }
    ASSERT_TRUE(writes.wait());
    EXPECT_EQ(folder.text("out"), "0ab3ab6ab9ab");
  }
}

TEST(AsyncWrites, ReportAnErrorOnce) {
  const TemporaryFolder folder;
  folder.write("in", "text");
  const Fd read_only(::open(folder.path("in").c_str(), O_RDONLY | O_CLOEXEC));
  AsyncWrites writes(2);
  std::string text = "x";
  const iovec piece{text.data(), text.size()};
  const auto started = writes.start(read_only.get(), {&piece, 1}, 0);
  const auto waited = writes.wait();
  EXPECT_NE(started.has_value(), waited.has_value()) << "at once, or when it was tried";
  EXPECT_THAT((started ? waited : started).error().message, ::testing::StartsWith("cannot write the recording: "));
  EXPECT_TRUE(writes.wait());
}

}  // namespace
}  // namespace peregrine::data
