#include "event/tracepoint/tracing_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>
#include <tuple>
#include <utility>

#include "abi/attr.h"
#include "base/text/text_buffer.h"
#include "event/print/print_format.h"
#include "event/syntax/parse.h"
#include "event/tracepoint/trace_formats.h"
#include "support/byte_buffer.h"
#include "support/machine.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

std::string format_text(std::string_view name, unsigned id) {
  return fmt::format(
      "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:int nr;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"nr=%d\", REC->nr\n",
      name, id);
}

// Contents written by hand, as described in tracing_data.h: a format of ftrace's, and two systems with one event each.
class BlobByHand {
 public:
  explicit BlobByHand(Endian endian = Endian::Little, std::string_view version = "0.6") : out_(endian) {
    out_.put(0x17, 1).put(0x08, 1).put(0x44, 1).text("tracing").text(version).zeros(1);
    out_.put(endian == Endian::Big ? 1 : 0, 1).put(8, 1).put32(16384);
    out_.text("header_page").zeros(1);
    sized("page text");
    out_.text("header_event").zeros(1);
    sized("event text");
  }
  BlobByHand& sized(std::string_view text) {
    out_.put64(text.size()).text(text);
    return *this;
  }
  // `count`: the claimed number of events, true or not.
  BlobByHand& system(std::string_view name, u32 count, const std::vector<std::string>& formats) {
    out_.text(name).zeros(1).put32(count);
    for (const std::string& format : formats) sized(format);
    return *this;
  }
  ByteBuffer& raw() { return out_; }

  static BlobByHand whole(Endian endian = Endian::Little, std::string_view version = "0.6") {
    BlobByHand blob(endian, version);
    blob.raw().put32(1);
    blob.sized(format_text("print", 5));
    blob.raw().put32(2);
    blob.system("sched", 1, {format_text("sched_wakeup", 300)});
    blob.system("irq", 1, {format_text("irq_handler_entry", 150)});
    blob.raw().put32(0).put32(8).text("0x1 : \"a");
    if (version >= "0.6") blob.sized("7 bash\n");
    return blob;
  }

 private:
  ByteBuffer out_;
};

std::string decoding_error(Bytes bytes) {
  const auto data = decode_tracing_data(bytes);
  return data ? "accepted" : data.error().message;
}

TEST(TracingDataFile, IsReadInBothByteOrders) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto data = decode_tracing_data(BlobByHand::whole(endian).raw().bytes());
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_EQ(data->order, endian == Endian::Big ? ByteOrder::Big : ByteOrder::Little);
    EXPECT_EQ(data->version, "0.6");
    EXPECT_EQ(data->long_size, 8);
    EXPECT_EQ(data->page_size, 16384u);
    EXPECT_EQ(data->header_page, "page text");
    EXPECT_EQ(data->header_event, "event text");
    EXPECT_EQ(data->printk_formats, "0x1 : \"a");
    EXPECT_EQ(data->saved_cmdlines, "7 bash\n");
    ASSERT_EQ(data->systems.size(), 2u);
    EXPECT_EQ(data->systems[1].name, "irq");
  }
}

TEST(TracingDataFile, WritesWhatItRead) {
  for (const Endian endian : {Endian::Little, Endian::Big})
    for (const char* version : {"0.5", "0.6"}) {
      const auto bytes = BlobByHand::whole(endian, version).raw().bytes();
      const auto data = decode_tracing_data(bytes);
      ASSERT_TRUE(data);
      EXPECT_EQ(encode_tracing_data(*data), bytes) << version;
    }
}

TEST(TracingDataFile, FormatsAreSortedByIdWithTheirSystem) {
  const auto data = decode_tracing_data(BlobByHand::whole().raw().bytes());
  ASSERT_TRUE(data);
  std::string found;
  for (const TraceFormat& format : data->formats)
    found += fmt::format("{} {}:{}\n", format.id, format.system, format.name);
  EXPECT_EQ(found, "5 ftrace:print\n150 irq:irq_handler_entry\n300 sched:sched_wakeup\n");
  EXPECT_EQ(data->find(150)->name, "irq_handler_entry");
  for (const u32 id : {0u, 4u, 151u, 301u, ~0u}) EXPECT_EQ(data->find(id), nullptr) << id;
}

TEST(TracingDataFile, AFormatThatDoesNotParseIsUnknown) {
  BlobByHand blob;
  blob.raw().put32(0).put32(1);
  blob.system("sched", 2, {"nonsense", format_text("sched_switch", 7)});
  blob.raw().put32(0).put32(0).put64(0);
  const auto data = decode_tracing_data(blob.raw().bytes());
  ASSERT_TRUE(data);
  EXPECT_EQ(data->systems[0].formats.size(), 2u);
  EXPECT_EQ(data->formats.size(), 1u);
}

TEST(TracingDataFile, OlderVersionsHaveNoNamesOfTasks) {
  const auto data = decode_tracing_data(BlobByHand::whole(Endian::Little, "0.5").raw().bytes());
  ASSERT_TRUE(data);
  EXPECT_EQ(data->saved_cmdlines, "");
  EXPECT_EQ(data->formats.size(), 3u);
}

TEST(TracingDataFile, SaysWhatIsWrong) {
  struct Case {
    std::vector<std::byte> bytes;
    std::string_view error;
  };
  const auto with = [](auto add) {
    BlobByHand blob;
    add(blob);
    return blob.raw().bytes();
  };
  const std::vector<std::byte> whole = BlobByHand::whole().raw().bytes();
  auto renamed = whole;
  renamed[20] = std::byte{'H'};  // of header_page
  const Case cases[] = {
      {{}, "tracing data: missing magic"},
      {ByteBuffer().text("PERFILE2 and more").bytes(), "tracing data: missing magic"},
      {{whole.begin(), whole.begin() + 12}, "tracing data: truncated header"},
      {{whole.begin(), whole.begin() + 15}, "tracing data: truncated header"},
      {renamed, "tracing data: missing header_page"},
      {{whole.begin(), whole.begin() + 40}, "tracing data: missing header_event"},
      {with([](BlobByHand& blob) { blob.raw().put32(0xffffffff); }),
       "tracing data: too many ftrace formats (4294967295)"},
      {with([](BlobByHand& blob) { blob.raw().put32(0).put32(0xffffffff); }),
       "tracing data: too many systems (4294967295)"},
      {with([](BlobByHand& blob) {
         blob.raw().put32(0).put32(1);
         blob.system("sched", 0xffffffff, {});
       }),
       "tracing data: too many events (4294967295) in sched"},
      {with([](BlobByHand& blob) {
         blob.raw().put32(0).put32(1);
         blob.system("sched", 2, {format_text("only_one", 1)});
       }),
       "tracing data: a size exceeds the data"},
      {with([](BlobByHand& blob) { blob.raw().put32(1).put64(~u64{0}).text("name: x"); }),
       "tracing data: a size exceeds the data"},
      {with([](BlobByHand& blob) { blob.raw().put32(0).put32(0).put32(9).put32(0); }),
       "tracing data: a size exceeds the data"},
  };
  for (const auto& [bytes, error] : cases) EXPECT_EQ(decoding_error(bytes), error);
}

// A sysroot with two events; recording one of them stores only that one's format.
TEST(TracingDataGathering, TakesTheFormatsOfTheEventsOnly) {
  const testing::Machine machine;
  for (const auto& [file, text] : {std::pair{"header_page", "page"}, {"header_event", "event"}})
    machine.write(fmt::format("/sys/kernel/tracing/events/{} = {}", file, text));
  machine.write("/sys/kernel/tracing/printk_formats = 0x1 : \"a\"");
  machine.write("/sys/kernel/tracing/saved_cmdlines = 7 bash");
  for (const auto& [system, event, id] : {std::tuple{"sched", "sched_switch", 1u},
                                          {"sched", "sched_wakeup", 2u},
                                          {"irq", "irq_entry", 3u},
                                          {"ftrace", "print", 4u}}) {
    std::string text = format_text(event, id), line;
    for (const char c : text) line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
    machine.write(fmt::format("/sys/kernel/tracing/events/{}/{}/format = {}", system, event, line));
    machine.write(fmt::format("/sys/kernel/tracing/events/{}/{}/id = {}", system, event, id));
  }
  EventSources sources(machine.root());
  EventList list;
  ASSERT_TRUE(parse_events("sched:sched_wakeup,cycles", sources, list));
  EventSpec print;
  print.attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  print.system = "ftrace";
  print.tracepoint = "print";
  list.push_back(print);
  const auto data = gather_tracing_data(sources, list);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->header_page, "page\n");
  EXPECT_EQ(data->printk_formats, "0x1 : \"a\"\n");
  EXPECT_EQ(data->saved_cmdlines, "7 bash\n");
  ASSERT_EQ(data->systems.size(), 1u);
  EXPECT_EQ(data->systems[0].name, "sched");
  EXPECT_EQ(data->systems[0].formats.size(), 1u);
  EXPECT_EQ(data->ftrace_formats.size(), 1u);
  EXPECT_EQ(data->formats.size(), 2u);
  EXPECT_EQ(data->find(2)->name, "sched_wakeup");
  EXPECT_EQ(data->find(1), nullptr);
}

TEST(TracingDataGathering, NeedsTracefs) {
  const testing::Machine machine;
  EventSources sources(machine.root());
  EXPECT_FALSE(gather_tracing_data(sources, {}));
}

TEST(TraceFormats, PrintsWhatWasPrepared) {
  auto formats = TraceFormats::decode(BlobByHand::whole(Endian::Big).raw().bytes());
  ASSERT_TRUE(formats);
  EXPECT_EQ(formats->order(), ByteOrder::Big);
  EXPECT_EQ(formats->page_size(), 16384u);
  EXPECT_EQ(formats->format(300)->name, "sched_wakeup");
  EXPECT_EQ(formats->print_format(300), nullptr);  // not yet prepared
  formats->prepare(300);
  formats->prepare(300);
  const PrintFormat* print = formats->print_format(300);
  ASSERT_NE(print, nullptr);
  TextBuffer out;
  print->print(out, ByteBuffer(Endian::Big).put16(300).zeros(6).put32(0xfffffffe).bytes(), nullptr);
  EXPECT_EQ(out.view(), "nr=-2");
  EXPECT_EQ(formats->print_format(150), nullptr);
}

TEST(TraceFormats, UnknownIdsAreNotPrepared) {
  auto formats = TraceFormats::decode(BlobByHand::whole().raw().bytes());
  ASSERT_TRUE(formats);
  for (const u64 id : {u64{9}, (u64{1} << 32) | 300, ~u64{0}}) {
    formats->prepare(id);
    EXPECT_EQ(formats->format(id), nullptr) << id;
    EXPECT_EQ(formats->print_format(id), nullptr) << id;
  }
  TraceFormats none;
  none.prepare(1);
  EXPECT_EQ(none.format(1), nullptr);
}

TEST(TraceFormats, PassesErrorsOn) {
  const auto refused = TraceFormats::decode({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "tracing data: missing magic");
}

}  // namespace
}  // namespace peregrine
