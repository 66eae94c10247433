#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "output/ctf/ctf_event.h"
#include "output/ctf/ctf_stream.h"
#include "output/ctf/tsdl.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;
using ::testing::ElementsAre;
using namespace std::string_view_literals;
using ::testing::HasSubstr;

constexpr CtfUuid kUuid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

// A stream's file in a temporary folder.
class StreamFile {
 public:
  StreamFile() : folder_(::testing::TempDir() + "ctf_test_XXXXXX") {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~StreamFile() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/perf_stream_0"; }
  std::string bytes() const { return read_file(path()).value_or(""); }

 private:
  std::string folder_;
};

// The header of a packet, and the bytes after it.
struct Packet {
  explicit Packet(ByteReader& in) : magic(in.get32()), uuid(in.text(16)), stream(in.get32()) {
    first = in.get64();
    last = in.get64();
    content_bits = in.get64();
    packet_bits = in.get64();
    discarded = in.get64();
    cpu = in.get32();
    if (content_bits / 8 >= CtfStream::kHeaderBytes) events = in.take(content_bits / 8 - CtfStream::kHeaderBytes);
  }
  u32 magic = 0;
  std::string uuid;
  u32 stream = 0;
  u64 first = 0, last = 0, content_bits = 0, packet_bits = 0, discarded = 0;
  u32 cpu = 0;
  Bytes events;
};

TEST(CtfStream, PacketSaysItsSizeSpanAndCpu) {
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 3);
  stream.begin_event(7, 1000);
  stream.put32(0x01020304);
  stream.put_text("ab");  // the following field is not aligned
  stream.begin_event(8, 2500);
  stream.put64(5);
  stream.discard(2);
  ASSERT_TRUE(stream.finish());
  const std::string text = file.bytes();
  ByteReader in(std::as_bytes(std::span(text)));
  const Packet packet(in);
  EXPECT_EQ(packet.magic, 0xc1fc1fc1u);
  EXPECT_EQ(packet.uuid, std::string(kUuid.begin(), kUuid.end()));
  EXPECT_EQ(packet.stream, 0u);
  EXPECT_EQ(packet.first, 1000u);
  EXPECT_EQ(packet.last, 2500u);
  EXPECT_EQ(packet.content_bits, text.size() * 8);
  EXPECT_EQ(packet.packet_bits, text.size() * 8);
  EXPECT_EQ(packet.discarded, 2u);
  EXPECT_EQ(packet.cpu, 3u);
  ByteReader events(packet.events);
  EXPECT_EQ(events.get32(), 7u);
  EXPECT_EQ(events.get64(), 1000u);
  EXPECT_EQ(events.get32(), 0x01020304u);
  EXPECT_EQ(events.text(3), "ab");
  EXPECT_EQ(events.get32(), 8u);
  EXPECT_EQ(events.get64(), 2500u);
  EXPECT_EQ(events.get64(), 5u);
  EXPECT_EQ(events.left(), 0u);
  EXPECT_TRUE(events.ok());
}

TEST(CtfStream, FullPacketsAreWrittenAsTheyFill) {
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 0);
  const std::string large(CtfStream::kPacketBytes * 2, 'x');
  for (u64 i = 0; i < 20'000; ++i) {
    stream.begin_event(1, i);
    stream.put64(i);
    if (i == 777) stream.put_text(large);  // larger than a packet
  }
  EXPECT_GT(file.bytes().size(), large.size());
  ASSERT_TRUE(stream.finish());
  const std::string text = file.bytes();
  ByteReader in(std::as_bytes(std::span(text)));
  unsigned packets = 0;
  u64 last = 0;
  for (; in.left() > 0; ++packets) {
    const Packet packet(in);
    ASSERT_TRUE(in.ok());
    EXPECT_EQ(packet.magic, 0xc1fc1fc1u);
    EXPECT_GE(packet.first, last);
    EXPECT_GE(packet.last, packet.first);
    last = packet.last;
  }
  EXPECT_EQ(packets, 7u);
  EXPECT_EQ(last, 19'999u);
}

TEST(CtfStream, TimeNeverGoesBack) {
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 0);
  const std::vector<u64> times{500, 400, 0, ~u64{0}, 600};
  for (const u64 time : times) stream.begin_event(1, time);
  ASSERT_TRUE(stream.finish());
  EXPECT_EQ(stream.moved(), 2u);
  const std::string text = file.bytes();
  ByteReader in(std::as_bytes(std::span(text)));
  ByteReader events(Packet(in).events);
  std::vector<u64> written;
  while (events.left() > 0) {
    events.get32();
    written.push_back(events.get64());
  }
  EXPECT_THAT(written, ElementsAre(500, 500, 500, 500, 600));
}

TEST(CtfStream, FailedWriteIsRememberedAndNamesTheFile) {
  CtfStream stream("/nowhere/perf_stream_0", kUuid, 0);
  stream.begin_event(1, 1);
  const auto finished = stream.finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, HasSubstr("/nowhere/perf_stream_0"));
  EXPECT_FALSE(stream.ok());
}

TEST(CtfStream, StringsOfStrangersAreSafeToShow) {
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 0);
  stream.begin_event(1, 1);
  stream.put_text("a\x1b[1m\xff");
  stream.put_text("\xc3\xbc");
  ASSERT_TRUE(stream.finish());
  EXPECT_THAT(file.bytes(), HasSubstr(std::string("a\\x1b[1m\\xff\0\xc3\xbc\0", 16)));
}

TEST(Tsdl, NamesBecomeIdentifiers) {
  CtfEventClass event{.id = 0, .name = "e", .fields = {}};
  for (const std::string_view name : {"pid", "callsite", "pid", "pid", "a.b", "2nd", "__syscall_nr"})
    event.fields.push_back({.name = std::string(name)});
  name_fields(event);
  std::vector<std::string> names;
  for (const CtfField& field : event.fields) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("pid", "_callsite", "pid_dupl_1", "pid_dupl_2", "a_b", "_2nd", "__syscall_nr"));
}

TEST(Tsdl, TextTellsTheTrace) {
  CtfTrace trace;
  trace.uuid = kUuid;
  trace.environment = {{"host", "a \"b\"\n"}};
  trace.clock.offset_ns = 5'000'000'007;
  trace.events = side_band_classes(4);
  const std::string text = tsdl_text(trace);
  EXPECT_TRUE(text.starts_with("/* CTF 1.8 */"));
  EXPECT_THAT(text, HasSubstr("uuid = \"01020304-0506-0708-090a-0b0c0d0e0f10\";"));
  EXPECT_THAT(text, HasSubstr("host = \"a \\\"b\\\"\\012\";"));
  EXPECT_THAT(text, HasSubstr("offset_s = 5;\n\toffset = 7;"));
  EXPECT_THAT(text, HasSubstr("event {\n\tid = 4;\n\tname = \"perf_comm\";\n\tstream_id = 0;\n\tfields := struct {\n"
                              "\t\tuint32_t pid;\n\t\tuint32_t tid;\n\t\tstring comm;\n\t};\n};\n"));
}

constexpr std::string_view kCtfFormat =
    "name: made\nID: 5\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:char comm[4];\toffset:2;\tsize:4;\tsigned:0;\n"
    "\tfield:short small;\toffset:6;\tsize:2;\tsigned:1;\n"
    "\tfield:unsigned long args[2];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:__data_loc u32[] parts;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] file;\toffset:28;\tsize:4;\tsigned:0;\n"
    "\tfield:void * callsite;\toffset:32;\tsize:8;\tsigned:0;\n"
    "\nprint fmt: \"\"\n";

abi::EventAttr tracepoint(u64 fields) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  attr.config = 5;
  attr.sample_type = fields;
  return attr;
}

TEST(CtfEvent, TracepointIsItsFields) {
  const auto format = parse_trace_format("test", kCtfFormat);
  ASSERT_TRUE(format);
  const auto [plan, made] =
      make_sample_plan(9, "test:made", tracepoint(bit::Ip | bit::Raw), &*format, ByteOrder::Little);
  CtfTrace trace;
  trace.events = {made};
  EXPECT_THAT(tsdl_text(trace),
              HasSubstr("\t\txint64_t perf_ip;\n\t\tuint32_t common_type;\n\t\tstring comm;\n\t\tint32_t small;\n"
                        "\t\txint64_t args[2];\n\t\tuint32_t _parts_length;\n\t\tuint32_t parts[_parts_length];\n"
                        "\t\tstring file;\n\t\txint64_t _callsite;\n"));
  ByteWriter raw(ByteOrder::Little);
  raw.put16(5).append("sh\0\0"sv).put16(0xfffe).put64(1).put64(2);
  raw.put32(40 | 8 << 16).put32(48 | 3 << 16).put64(0xabc).put32(3).put32(4).append("/x\0"sv);
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 0);
  abi::Sample sample;
  sample.ip = 0x401000;
  sample.raw = raw.bytes();
  stream.begin_event(plan.id, 1);
  put_sample(plan, sample, stream);
  ASSERT_TRUE(stream.finish());
  const std::string text = file.bytes();
  ByteReader in(std::as_bytes(std::span(text)));
  ByteReader event(Packet(in).events);
  EXPECT_EQ(event.get32(), 9u);
  event.get64();
  EXPECT_EQ(event.get64(), 0x401000u);
  EXPECT_EQ(event.get32(), 5u);
  EXPECT_EQ(event.text(3), "sh");
  EXPECT_EQ(event.get32(), 0xfffffffeu);
  EXPECT_EQ(event.get64(), 1u);
  EXPECT_EQ(event.get64(), 2u);
  EXPECT_EQ(event.get32(), 2u);
  EXPECT_EQ(event.get32(), 3u);
  EXPECT_EQ(event.get32(), 4u);
  EXPECT_EQ(event.text(3), "/x");
  EXPECT_EQ(event.get64(), 0xabcu);
  EXPECT_EQ(event.left(), 0u);
}

TEST(CtfEvent, RecordThatIsTooShortReadsAsZeroes) {
  const auto format = parse_trace_format("test", kCtfFormat);
  ASSERT_TRUE(format);
  const auto [plan, made] = make_sample_plan(0, "test:made", tracepoint(bit::Raw), &*format, ByteOrder::Little);
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 0);
  stream.begin_event(0, 1);
  put_sample(plan, abi::Sample(), stream);
  ASSERT_TRUE(stream.finish());
  // Head, common_type, comm, small, args, the count of parts, file, callsite.
  EXPECT_EQ(file.bytes().size(), CtfStream::kHeaderBytes + 12 + 4 + 1 + 4 + 16 + 4 + 1 + 8);
}

// An untrusted format may claim any length, but no record is longer than 64 KiB.
TEST(CtfEvent, ArrayThatNoRecordHoldsIsWrittenAsFarAsItDoes) {
  const auto format = parse_trace_format("test",
                                         "name: made\nID: 5\nformat:\n\n"
                                         "\tfield:int many[4000000000];\toffset:0;\tsize:4294967295;\tsigned:1;\n"
                                         "\tfield:__data_loc u64[] far;\toffset:8;\tsize:4;\tsigned:0;\n"
                                         "\nprint fmt: \"\"\n");
  ASSERT_TRUE(format);
  const auto [plan, made] = make_sample_plan(0, "test:made", tracepoint(bit::Raw), &*format, ByteOrder::Little);
  EXPECT_EQ(made.fields[0].kind, CtfField::Kind::Sequence);
  ByteWriter raw(ByteOrder::Little);
  raw.put32(1).put32(2).put32(0xffffffff);
  const StreamFile file;
  CtfStream stream(file.path(), kUuid, 0);
  abi::Sample sample;
  sample.raw = raw.bytes();
  stream.begin_event(0, 1);
  put_sample(plan, sample, stream);
  ASSERT_TRUE(stream.finish());
  EXPECT_LT(file.bytes().size(), 200u);
}

TEST(CtfEvent, UnexplainedTracepointIsRawData) {
  const auto [plan, made] =
      make_sample_plan(0, "a:b", tracepoint(bit::Raw | bit::Callchain | bit::Tid), nullptr, ByteOrder::Little);
  EXPECT_TRUE(plan.raw);
  std::vector<std::string> names;
  for (const CtfField& field : made.fields) names.push_back(field.count_name + field.name);
  EXPECT_THAT(names, ElementsAre("perf_tid", "perf_pid", "perf_callchain_sizeperf_callchain", "raw_lenraw_data"));
}

}  // namespace
}  // namespace peregrine
