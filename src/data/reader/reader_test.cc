#include "data/reader/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "data/feature/feature_rows.h"
#include "data/order/order.h"
#include "data/reader/test_file.h"
#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"

namespace peregrine::data {
namespace {

using abi::RecordType;
using support::Endian;
using support::PerfDataBuilder;
using ::testing::ElementsAre;

// Two events, four records, and some features.
PerfDataBuilder recording(support::Layout layout = support::Layout::File, Endian endian = Endian::Little) {
  PerfDataBuilder data(layout, endian);
  data.attr({{"name", "cycles"},
             {"freq", 4000},
             {"sample", "ip,tid,time,identifier"},
             {"ids", "11,12"},
             {"flags", "comm,sample_id_all"}});
  data.attr({{"name", "faults"},
             {"type", 1},
             {"config", 2},
             {"sample", "ip,tid,time,identifier"},
             {"ids", "21"},
             {"flags", "sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", 1}, {"id", 11}});
  data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"id", 21}}, 1);
  data.record("finished_round");
  data.record("sample", {{"ip", 0x402000}, {"pid", 7}, {"tid", 7}, {"time", 3}, {"id", 12}});
  data.feature("hostname", {{"text", "builder"}}).feature("nrcpus", {{"online", 2}, {"available", 4}});
  data.feature("event_desc");
  return data;
}

std::vector<u32> types_of(Reader& reader) {
  std::vector<u32> types;
  abi::RecordView record;
  for (;;) {
    const auto more = reader.next(record);
    if (!more || !*more) return types;
    types.push_back(static_cast<u32>(record.type));
  }
}

TEST(Reader, ReadsAFileOfEitherByteOrder) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    auto reader = read_bytes(recording(support::Layout::File, endian).bytes());
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->header().layout, Layout::File);
    EXPECT_EQ(reader->header().features.hostname, "builder");
    EXPECT_EQ(reader->header().features.cpus->available, 4u);
    ASSERT_EQ(reader->evlist().size(), 2u);
    EXPECT_EQ(reader->evlist()[0].name, "cycles");
    EXPECT_THAT(reader->evlist()[0].ids, ElementsAre(11u, 12u));
    EXPECT_TRUE(reader->evlist()[0].attr.has(abi::attr_flag::Freq));
    abi::RecordView record;
    ASSERT_TRUE(*reader->next(record));
    EXPECT_EQ(record.type, RecordType::Comm);
    EXPECT_EQ(record.offset, reader->header().data_offset);
    EXPECT_EQ(reader->evlist().event_of(record), 0u);
    ASSERT_TRUE(*reader->next(record));
    EXPECT_EQ(reader->evlist().event_of(record), 1u);
    EXPECT_EQ(reader->evlist().time_of(record), 2u);
    EXPECT_THAT(types_of(*reader), ElementsAre(68u, 9u));
    EXPECT_TRUE(reader->account().clean());
    EXPECT_EQ(reader->account().records, 4u);
  }
}

TEST(Reader, ReadsAPipeHoweverItArrives) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    for (const std::size_t step : {1u, 7u, 4096u}) {
      FilledPipe pipe(recording(support::Layout::Pipe, endian).bytes(), step);
      auto reader = Reader::open_fd(pipe.take(), "pipe");
      ASSERT_TRUE(reader) << reader.error().message;
      EXPECT_EQ(reader->header().layout, Layout::Pipe);
      ASSERT_EQ(reader->evlist().size(), 2u);
      EXPECT_EQ(reader->evlist().find_id(21), 1u);
      EXPECT_EQ(reader->header().features.hostname, "builder");
      EXPECT_THAT(types_of(*reader), ::testing::IsSupersetOf({64u, 64u, 3u, 9u, 68u, 9u}));
      EXPECT_TRUE(reader->account().clean());
    }
  }
}

TEST(Reader, ReadsARecordingWhoseRecorderWasKilled) {
  auto data = recording();
  data.declared_data_size(0);
  auto whole = data.bytes();
  const auto sections = data.sections();
  const auto found = std::ranges::find(sections, "data", &support::Section::name);
  whole.resize(found->offset + found->size);
  auto reader = read_bytes(whole);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->header().unfinished);
  EXPECT_THAT(types_of(*reader), ElementsAre(3u, 9u, 68u, 9u));
  EXPECT_TRUE(reader->account().unfinished);
}

// Wherever the file is truncated, the records before that stay readable, and the truncated one is counted.
TEST(Reader, ReadsACutFileUpToTheCut) {
  const auto data = recording();
  const auto bytes = data.bytes();
  const auto sections = data.sections();
  const auto found = std::ranges::find(sections, "data", &support::Section::name);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto reader = read_bytes(support::cut(bytes, size));
    if (size < found->offset) {
      EXPECT_FALSE(reader) << size;
      continue;
    }
    ASSERT_TRUE(reader) << size;
    types_of(*reader);
    const ReadAccount& account = reader->account();
    EXPECT_EQ(account.bytes + account.cut.bytes, std::min(size - found->offset, found->size));
    EXPECT_EQ(account.missing_bytes, found->size - std::min(size - found->offset, found->size));
  }
}

TEST(Reader, SurvivesAnyFlippedBit) {
  for (const auto layout : {support::Layout::File, support::Layout::Pipe}) {
    const auto bytes = recording(layout).bytes();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      auto reader = read_bytes(support::flip(bytes, at, at % 8));
      if (reader) types_of(*reader);
    }
  }
}

TEST(Reader, PassesOverHolesOfZeroes) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}}).record("sample", {{"ip", 1}}).raw_bytes(std::vector<std::byte>(48));
  data.record("sample", {{"ip", 2}});
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_THAT(types_of(*reader), ElementsAre(9u, 9u));
  EXPECT_EQ(reader->account().zeroes.count, 1u);
  EXPECT_EQ(reader->account().zeroes.bytes, 48u);
}

TEST(Reader, SkipsPayloadsByTheirOwnLength) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}});
  const std::vector<std::byte> payload(3 << 20, std::byte{0x41});
  data.record("auxtrace", {{"size", payload.size()}}).raw_bytes(payload).record("sample", {{"ip", 2}});
  const auto bytes = data.bytes();
  auto reader = read_bytes(bytes);
  ASSERT_TRUE(reader);
  abi::RecordView record;
  ASSERT_TRUE(*reader->next(record));
  const auto kept = reader->read_payload(record);
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, payload);
  EXPECT_THAT(types_of(*reader), ElementsAre(9u));
  EXPECT_TRUE(reader->account().clean());

  PerfDataBuilder piped(support::Layout::Pipe);
  piped.attr({{"sample", "ip"}})
      .record("tracing_data", {{"size", 16}})
      .raw_bytes(support::from_hex("17084474726163696e67303132333435"));
  piped.record("sample", {{"ip", 2}});
  FilledPipe pipe(piped.bytes(), 5);
  auto streamed = Reader::open_fd(pipe.take(), "pipe");
  ASSERT_TRUE(streamed);
  EXPECT_EQ(streamed->header().features.tracing_data->size(), 16u);
  EXPECT_EQ(types_of(*streamed).back(), 9u);
}

std::vector<std::byte> data_bytes(const PerfDataBuilder& data) {
  const auto sections = data.sections();
  const auto found = std::ranges::find(sections, "data", &support::Section::name);
  const auto bytes = data.bytes();
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(found->offset);
  return {from, from + static_cast<std::ptrdiff_t>(found->size)};
}

// A directory recording: `data`, and the parts as `data.N`.
std::string write_directory(const PerfDataBuilder& main_file, const std::vector<const PerfDataBuilder*>& parts) {
  const std::string folder = ::testing::TempDir() + "/recording.data." + std::to_string(::getpid());
  std::filesystem::remove_all(folder);
  ::mkdir(folder.c_str(), 0700);
  const auto write = [&](const std::string& name, const std::vector<std::byte>& bytes) {
    const auto fd = open_file(folder + name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_TRUE(fd && write_all(fd->get(), bytes.data(), bytes.size()));
  };
  write("/data", main_file.bytes());
  for (std::size_t i = 0; i < parts.size(); ++i) write("/data." + std::to_string(i), data_bytes(*parts[i]));
  return folder;
}

TEST(Reader, ReadsEveryFileOfADirectory) {
  PerfDataBuilder main_file, part;
  main_file.attr({{"sample", "ip"}}).record("sample", {{"ip", 1}});
  part.attr({{"sample", "ip"}}).record("sample", {{"ip", 2}}).record("finished_round");
  auto reader = Reader::open(write_directory(main_file, {&part, &part}));
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->header().layout, Layout::Directory);
  EXPECT_THAT(types_of(*reader), ElementsAre(9u, 9u, 68u, 9u, 68u));
  EXPECT_TRUE(reader->account().clean());
}

// A round in one file implies nothing about the others.
TEST(Reader, OrdersTheFilesOfADirectoryByTime) {
  PerfDataBuilder main_file, part;
  for (auto* data : {&main_file, &part}) data->attr({{"sample", "ip,time"}, {"flags", "sample_id_all"}, {"ids", "1"}});
  for (u64 time = 10; time <= 60; time += 10)
    main_file.record("sample", {{"ip", time}, {"time", time}}).record("finished_round");
  part.record("sample", {{"ip", 15}, {"time", 15}}).record("sample", {{"ip", 35}, {"time", 35}});
  auto reader = Reader::open(write_directory(main_file, {&part}));
  ASSERT_TRUE(reader) << reader.error().message;
  Order order(*reader, {.batch_bytes = 1});
  std::vector<u64> times;
  while (order.next().value_or(false)) {
    for (std::size_t i = 0; i < order.batch().size(); ++i) {
      if (order.batch().is_sample(i)) times.push_back(order.batch().time(i));
    }
  }
  EXPECT_THAT(times, ElementsAre(10u, 15u, 20u, 30u, 35u, 40u, 50u, 60u));
  EXPECT_EQ(order.unordered(), 0u);
}

// A stored zstd block: magic, a frame with a window of 1 kB, one raw block marked as the last.
std::vector<std::byte> stored_frame(const std::vector<std::byte>& bytes) {
  support::ByteBuffer frame;
  frame.put32(0xfd2fb528).put(0, 1).put(0, 1).put(1 | bytes.size() << 3, 3).append(bytes);
  return frame.bytes();
}

// One record split over two COMPRESSED records, then one in a COMPRESSED2 with padding.
TEST(Reader, TakesCompressedRecordsApart) {
  PerfDataBuilder inside, data;
  inside.attr({{"sample", "ip"}}).record("sample", {{"ip", 1}}).record("sample", {{"ip", 2}});
  const auto records = data_bytes(inside);
  const std::vector<std::byte> first(records.begin(), records.begin() + 20),
      second(records.begin() + 20, records.end());
  const auto third = stored_frame(data_bytes(inside));
  support::ByteBuffer sized;
  sized.put64(third.size()).append(third).align(8);
  data.attr({{"sample", "ip"}});
  data.raw_record(81, 0, stored_frame(first)).raw_record(81, 0, stored_frame(second)).raw_record(83, 0, sized.bytes());
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  std::vector<u64> ips;
  abi::RecordView record;
  while (*reader->next(record)) {
    EXPECT_TRUE(record.compressed);
    ips.push_back(load<u64>(record.bytes.data() + 8));
  }
  EXPECT_THAT(ips, ElementsAre(1u, 2u, 1u, 2u));
  EXPECT_TRUE(reader->account().clean());
  EXPECT_EQ(reader->account().decompressed_bytes, 2 * records.size());
}

TEST(Reader, CountsWhatDoesNotDecompress) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}}).raw_record(81, 0, support::from_hex("0011223344556677"));
  data.raw_record(83, 0, support::from_hex("ffffffffffffffff")).record("sample", {{"ip", 3}});
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_THAT(types_of(*reader), ElementsAre(9u));
  EXPECT_EQ(reader->account().bad_compressed.count, 2u);
}

TEST(Reader, KeepsFeaturesItDoesNotKnow) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}})
      .feature("200", {{"hex", "0102030405"}})
      .feature("nrcpus", {{"online", 1}, {"available", 1}});
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().kept.at(200).size(), 5u);
  EXPECT_EQ(reader->read_feature(200)->size(), 5u);
  EXPECT_FALSE(reader->read_feature(201));
}

TEST(Reader, SaysWhatIsNotARecording) {
  EXPECT_EQ(read_bytes(support::from_hex("7f454c46020101000000000000000000")).error().kind, ErrorKind::Malformed);
  EXPECT_EQ(read_bytes({}).error().kind, ErrorKind::Malformed);
  EXPECT_EQ(Reader::open("/nonexistent/perf.data").error().kind, ErrorKind::NotFound);
  FilledPipe pipe(recording().bytes());
  EXPECT_EQ(Reader::open_fd(pipe.take(), "pipe").error().kind, ErrorKind::Unsupported);
}

TEST(Reader, NamesTracepointsAsSimpleperfDoes) {
  PerfDataBuilder data;
  data.attr({{"type", 2}, {"config", 63}, {"sample", "ip"}}).attr({{"type", 1}, {"config", 63}, {"sample", "ip"}});
  support::ByteBuffer meta;
  meta.text("clockid").zeros(1).text("monotonic").zeros(1).text("event_type_info").zeros(1);
  meta.text("cpu-clock,1,63\nsched:sched_switch,2,63").zeros(1);
  std::string hex;
  for (const std::byte byte : meta.bytes()) hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
  data.feature("129", {{"hex", hex}});
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->evlist()[0].name, "sched:sched_switch");
  EXPECT_EQ(reader->evlist()[1].name, "");
}

// Google's perf 3.2: records 69 to 80 are features, so 71 is not an AUXTRACE.
TEST(Reader, ReadsFeaturesOfGooglesOldPipes) {
  PerfDataBuilder data(support::Layout::Pipe);
  const auto text = [](std::string_view value) {
    return support::ByteBuffer().put32(64).text(value).zeros(64 - value.size()).bytes();
  };
  data.raw_record(69, 0, text("host")).raw_record(70, 0, text("3.2.5")).raw_record(71, 0, text("3.3.0"));
  data.raw_record(72, 0, text("x86_64")).raw_record(73, 0, support::ByteBuffer().put32(8).put32(4).bytes());
  const auto head = data.bytes();
  PerfDataBuilder rest(support::Layout::Pipe);
  rest.attr({{"sample", "ip"}}).record("sample", {{"ip", 2}});
  auto bytes = rest.bytes();
  bytes.insert(bytes.begin() + 16, head.begin() + 16, head.end());
  auto reader = read_bytes(bytes);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().features.hostname, "host");
  EXPECT_EQ(reader->header().features.version, "3.3.0");
  EXPECT_EQ(reader->header().features.cpus->online, 4u);
  EXPECT_EQ(types_of(*reader).back(), 9u);
  EXPECT_TRUE(reader->account().clean());
  EXPECT_EQ(reader->account().by_type[80], 5u);
}

TEST(Reader, ReadsSimpleperfRecordsBeyond64k) {
  PerfDataBuilder data;
  data.attr({{"type", 2}, {"config", 63}, {"sample", "ip"}});
  const std::vector<std::byte> formats(100000, std::byte{0x41});
  const u32 size = 8 + 4 + static_cast<u32>(formats.size());
  data.raw_bytes(
      support::ByteBuffer().put32(32777).put16(static_cast<u16>(size >> 16)).put16(static_cast<u16>(size)).bytes());
  data.raw_bytes(support::ByteBuffer().put32(formats.size()).bytes()).raw_bytes(formats);
  data.record("sample", {{"ip", 2}});
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read_feature(static_cast<u32>(FeatureId::TracingData)), formats);
  EXPECT_THAT(types_of(*reader), ElementsAre(32777u, 9u));
  EXPECT_TRUE(reader->account().clean());
}

}  // namespace
}  // namespace peregrine::data
