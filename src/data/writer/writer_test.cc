#include "data/writer/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <random>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/build_id.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "data/writer/record_compressor.h"
#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;

Evlist two_events() {
  Evlist evlist;
  Event cycles, faults;
  cycles.attr.sample_type = faults.attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Time;
  faults.attr.config3 = 5;
  cycles.ids = {1, 2};
  cycles.name = "cycles";
  faults.ids = {3};
  faults.name = "faults";
  faults.unit = "pages";
  faults.scale = 0.5;
  evlist.add(cycles);
  evlist.add(faults);
  return evlist;
}

std::vector<std::byte> sample(u64 ip, u64 time, std::size_t extra = 0) {
  ByteBuffer record;
  record.put32(9).put16(2).put16(24 + extra).put64(ip).put64(time).zeros(extra);
  return record.bytes();
}

std::vector<std::byte> contents(int fd) {
  std::vector<std::byte> bytes(std::size_t{1} << 24);
  bytes.resize(*pread_full(fd, bytes.data(), bytes.size(), 0));
  return bytes;
}

Result<Reader> read_again(const Writer& writer) { return Reader::open_fd(Fd(::dup(writer.fd())), "written"); }

std::vector<u64> ips_of(Reader& reader) {
  std::vector<u64> ips;
  abi::RecordView record;
  for (;;) {
    const auto more = reader.next(record);
    if (!more || !*more) return ips;
    if (record.type == abi::RecordType::Sample) ips.push_back(load<u64>(record.bytes.data() + 8));
  }
}

Writer writer_to_memory(WriterOptions options = {}) {
  return std::move(*Writer::open_fd(Fd(::memfd_create("test", MFD_CLOEXEC)), "written", options));
}

TEST(Writer, WritesTheFileHeaderOfTheFormat) {
  Writer writer = writer_to_memory();
  Evlist one;
  Event event;
  event.ids = {0x11, 0x12};
  one.add(event);
  ASSERT_TRUE(writer.begin(one, {}));
  ASSERT_TRUE(writer.append(sample(1, 2)));
  ASSERT_TRUE(writer.finish({}));
  const auto bytes = contents(writer.fd());
  ByteBuffer header;
  header.text("PERFILE2").put64(104).put64(144).put64(120).put64(144).put64(264).put64(24).put64(0).put64(0).zeros(32);
  header.put64(0x11).put64(0x12).put32(0).put32(128).zeros(120).put64(104).put64(16);
  EXPECT_TRUE(std::ranges::equal(Bytes(bytes).first(header.size()), header.bytes()));
  EXPECT_EQ(bytes.size(), 264u + 24u);
}

TEST(Writer, IsReadBackWithEventsRecordsAndFeatures) {
  for (const int level : {0, 1}) {
    Writer writer = writer_to_memory({.compression_level = level});
    Features features;
    features.hostname = "here";
    features.cpus = CpuCount{4, 2};
    ASSERT_TRUE(writer.begin(two_events(), features));
    // A ring that wraps returns a record in two pieces.
    const auto first = sample(10, 1), second = sample(20, 2);
    const Bytes pieces[] = {first, Bytes(second).first(11), Bytes(second).subspan(11)};
    ASSERT_TRUE(writer.append(pieces));
    ASSERT_TRUE(writer.finish_round());
    ASSERT_TRUE(writer.append(sample(30, 3)));
    ASSERT_TRUE(writer.finish(features, {{200, std::vector<std::byte>(3)}}));
    auto reader = read_again(writer);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->evlist().size(), 2u);
    EXPECT_EQ(reader->evlist()[0].attr.size, 136u);  // needed by the other one's config3
    EXPECT_EQ(reader->evlist()[1].attr.config3, 5u);
    EXPECT_EQ(reader->header().features.hostname, "here");
    EXPECT_EQ(reader->header().kept.at(200).size(), 3u);
    EXPECT_EQ(reader->header().features.compression.has_value(), level > 0);
    EXPECT_THAT(ips_of(*reader), ::testing::ElementsAre(10, 20, 30));
    EXPECT_TRUE(reader->account().clean());
    EXPECT_EQ(reader->account().by_type[68], 1u);
    EXPECT_EQ(reader->evlist()[1].unit, "pages");  // EVENT_UPDATE records
    EXPECT_EQ(reader->evlist()[1].scale, 0.5);
  }
}

TEST(Writer, CompressesMuchWithoutLosingARecord) {
  std::mt19937_64 random(3);
  Writer writer = writer_to_memory({.compression_level = 1});
  ASSERT_TRUE(writer.begin(two_events(), {}));
  std::vector<u64> expected;
  for (int i = 0; i < 400; ++i) {
    const auto record = sample(random(), static_cast<u64>(i), 8 * (random() % 4000));
    expected.push_back(load<u64>(record.data() + 8));
    ASSERT_TRUE(writer.append(record));
    if (i % 50 == 0) ASSERT_TRUE(writer.finish_round());
  }
  ASSERT_TRUE(writer.finish({}));
  EXPECT_LT(writer.account().compressed_bytes, writer.account().record_bytes / 10);
  auto reader = read_again(writer);
  ASSERT_TRUE(reader);
  EXPECT_EQ(ips_of(*reader), expected);
  EXPECT_EQ(reader->account().decompressed_bytes, writer.account().record_bytes);
}

TEST(Writer, WritesInTheBackground) {
  Writer writer = writer_to_memory({.compression_level = 0, .write_blocks = 2});
  ASSERT_TRUE(writer.begin(two_events(), {}));
  std::vector<u64> expected;
  for (u64 ip = 1; ip <= 100; ++ip) {
    ASSERT_TRUE(writer.append(sample(ip, ip, 8 * (ip % 7))));
    expected.push_back(ip);
    if (ip % 10 != 0) continue;
    ASSERT_TRUE(writer.checkpoint());
    auto reader = read_again(writer);
    ASSERT_TRUE(reader);
    EXPECT_EQ(ips_of(*reader), expected);
  }
  ASSERT_TRUE(writer.finish({}));
}

TEST(Writer, StaysReadableWhenItNeverEnds) {
  Writer writer = writer_to_memory();
  ASSERT_TRUE(writer.begin(two_events(), {}));
  ASSERT_TRUE(writer.append(sample(1, 1)));
  auto reader = read_again(writer);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->header().unfinished);
  EXPECT_THAT(ips_of(*reader), ::testing::ElementsAre(1));
  ASSERT_TRUE(writer.checkpoint());
  reader = read_again(writer);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->header().unfinished) << "nothing follows what the header knows of, and yet it did not end";
  ASSERT_TRUE(writer.append(sample(2, 2)));
  reader = read_again(writer);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->header().unfinished);
  EXPECT_THAT(ips_of(*reader), ::testing::ElementsAre(1, 2));
}

// What linux-perf reads of a killed recording: the records up to the data size in the header, and the feature table
// there.
TEST(Writer, KeepsVitalFeaturesReadableAtEveryCheckpoint) {
  Writer writer = writer_to_memory({.compression_level = 1});
  Features features;
  features.hostname = "not vital";
  features.tracing_data = std::vector<std::byte>(13, std::byte{1});
  features.dir_version = 1;
  ASSERT_TRUE(writer.begin(two_events(), features));
  for (u64 ip = 1; ip <= 3; ++ip) {
    ASSERT_TRUE(writer.append(sample(ip, ip)));
    ASSERT_TRUE(writer.checkpoint());
    const u64 seen = load<u64>(contents(writer.fd()).data() + 48);
    EXPECT_EQ(seen, writer.data_size() - 4 * 16);  // the block is after the data, as defined by the header
    ASSERT_TRUE(writer.checkpoint());              // nothing new: nothing written
    EXPECT_EQ(load<u64>(contents(writer.fd()).data() + 48), seen);
    auto reader = read_again(writer);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE(reader->header().unfinished);
    EXPECT_THAT(reader->header().present, ::testing::ElementsAre(1, 24, 27));
    EXPECT_EQ(reader->header().features.dir_version, 1u);
    EXPECT_GE(reader->header().features.compression->mmap_length, RecordCompressor::kMmapLength);
    EXPECT_EQ(reader->read_feature(1)->size(), 13u);
    EXPECT_EQ(ips_of(*reader).size(), ip);
  }
  ASSERT_TRUE(writer.finish(features));
  auto reader = read_again(writer);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->header().unfinished);
  EXPECT_EQ(reader->header().features.hostname, "not vital");
  EXPECT_EQ(reader->read_feature(1)->size(), 13u);
  EXPECT_THAT(ips_of(*reader), ::testing::ElementsAre(1, 2, 3));
  EXPECT_TRUE(reader->account().clean());
}

TEST(Writer, SavesWhatWasWrittenWholeWhenTheDiskIsFull) {
  const rlimit limit{.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  for (const std::size_t blocks : {0, 2}) {
    Writer writer = writer_to_memory({.write_blocks = blocks});
    ASSERT_TRUE(writer.begin(two_events(), {}));
    ASSERT_TRUE(writer.append(sample(1, 1)));
    ASSERT_TRUE(writer.checkpoint());
    const u64 first_size = writer.data_size();
    ::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const auto second = sample(2, 2), third = sample(3, 3, 8000);  // partly written
    const Bytes pieces[] = {second, third};
    const auto written = writer.append(pieces);
    const auto saved = writer.checkpoint();
    ::setrlimit(RLIMIT_FSIZE, &before);
    // A background write reports its error later; the header then stays at the last known state.
    ASSERT_EQ(written.has_value(), blocks > 0);
    ASSERT_EQ(saved.has_value(), blocks == 0);
    const Error& error = written ? saved.error() : written.error();
    EXPECT_THAT(error.message, ::testing::StartsWith("written: "));
    EXPECT_EQ(error.system_errno, EFBIG);
    auto reader = read_again(writer);
    ASSERT_TRUE(reader);
    EXPECT_EQ(ips_of(*reader).front(), 1u);
    // What linux-perf reads: up to the size in the header.
    const u64 told = load<u64>(contents(writer.fd()).data() + 48);
    constexpr u64 kBlock = 16;  // after the size set by the first checkpoint
    EXPECT_EQ(told, blocks > 0 ? first_size - kBlock : first_size + second.size());
  }
}

TEST(Writer, DescribesItselfInAPipe) {
  for (const int level : {0, 1}) {
    Writer writer = writer_to_memory({.pipe = true, .compression_level = level});
    Features features;
    features.hostname = "here";
    features.tracing_data = std::vector<std::byte>(13, std::byte{1});
    features.build_ids = {BuildIdEntry{.misc = 2, .id = *BuildId::parse("0102030405060708"), .name = "/bin/true"}};
    ASSERT_TRUE(writer.begin(two_events(), features));
    ASSERT_TRUE(writer.append(sample(1, 1)));
    ASSERT_TRUE(writer.finish_round());
    ASSERT_TRUE(writer.finish(features));
    auto reader = read_again(writer);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->header().layout, Layout::Pipe);
    ASSERT_EQ(reader->evlist().size(), 2u);
    EXPECT_EQ(reader->evlist()[0].name, "cycles");
    EXPECT_EQ(reader->evlist()[1].unit, "pages");
    EXPECT_EQ(reader->header().features.hostname, "here");
    EXPECT_EQ(reader->header().features.tracing_data->size(), 16u);
    ASSERT_TRUE(reader->header().features.build_ids);
    EXPECT_EQ(reader->header().features.build_ids->front().id.hex(), "0102030405060708");
    EXPECT_THAT(ips_of(*reader), ::testing::ElementsAre(1));
    EXPECT_TRUE(reader->account().clean());
  }
}

TEST(Writer, SaysThatItCannotWrite) {
  Writer full = std::move(*Writer::open_fd(*open_file("/dev/full", 1), "/dev/full", {.pipe = true}));
  EXPECT_FALSE(full.begin(two_events(), {}));
}

}  // namespace
}  // namespace peregrine::data
