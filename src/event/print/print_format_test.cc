#include "event/print/print_format.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

// A record with common_type, an int -1, a long, "bash", a dynamic string "file" and dynamic numbers 1, 2.
constexpr std::string_view kFields =
    "name: sample\nID: 77\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:int i;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned long l;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[8];\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc char[] path;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc u32[] numbers;\toffset:28;\tsize:4;\tsigned:0;\n"
    "\tfield:__u8 address[16];\toffset:32;\tsize:16;\tsigned:0;\n\n"
    "print fmt: ";

std::vector<std::byte> record(ByteOrder order = kHostOrder) {
  ByteWriter out(order);
  out.put16(77).zeros(2).put32(~0u).put64(0xffffffff81000010);
  out.append(std::string_view("bash\0\0\0\0", 8)).put32(48 | 5 << 16).put32(56 | 8 << 16);
  out.put16(2).append(std::string_view("\x1f\x90\x7f\0\0\1", 6)).zeros(8);
  out.append(std::string_view("file\0\0\0\0", 8)).put32(1).put32(2);
  return out.take();
}

TraceFormat format_of(std::string_view print_fmt) {
  auto format = parse_trace_format("test", std::string(kFields) + std::string(print_fmt));
  EXPECT_TRUE(format.has_value());
  return *format;
}

class OneSymbol : public AddressNames {
  std::optional<AddressName> find(u64 address) override {
    if (address < 0xffffffff81000000) return std::nullopt;
    return AddressName{"schedule", address - 0xffffffff81000000, {}};
  }
};

std::string text(std::string_view print_fmt, ByteOrder order = kHostOrder) {
  const PrintFormat format(format_of(print_fmt), TraceMachine{.order = order});
  EXPECT_EQ(format.complaint(), "") << print_fmt;
  TextBuffer out;
  OneSymbol names;
  format.print(out, record(order), &names);
  return std::string(out.view());
}

TEST(PrintFormat, NumbersAndTextArePrintedAsPrintfDoes) {
  EXPECT_EQ(text(R"("pid=%d comm=%s %5s|%-6s|%.2s", REC->i, REC->comm, REC->comm, REC->comm, REC->comm)"),
            "pid=-1 comm=bash  bash|bash  |ba");
  EXPECT_EQ(text(R"("%u %x %#x %08lx %llu %ld %%", REC->i, REC->i, REC->i, REC->i, REC->l, REC->i)"),
            "4294967295 ffffffff 0xffffffff ffffffff 18446744071578845200 4294967295 %");
  EXPECT_EQ(text(R"("%.*s %*d", 3, REC->comm, 4, 7)"), "bas    7");
  EXPECT_EQ(text(R"("a" "b\n" "%c", 'x')"), "ab\nx");
  EXPECT_EQ(text(R"("comm="%s" l=%d", REC->comm, 3)"), R"(comm="bash" l=3)");  // as tracefs shows \" of the source
}

// With C's promotions: the kernel prints -3, linux-perf prints 65533.
TEST(PrintFormat, NarrowSignedFieldsKeepTheirSign) {
  auto format = parse_trace_format(
      "test",
      "name: narrow\nID: 78\nformat:\n"
      "\tfield:s16 s;\toffset:0;\tsize:2;\tsigned:1;\n"
      "\tfield:s8 b;\toffset:2;\tsize:1;\tsigned:1;\n"
      "\tfield:u16 u;\toffset:4;\tsize:2;\tsigned:0;\n"
      "\tfield:s16 a[2];\toffset:6;\tsize:4;\tsigned:1;\n\n"
      R"(print fmt: "%d %5d %hd %hx %x %d %u %d %d %d %s", REC->s, REC->b, REC->s, REC->s, REC->s, REC->s + 1, REC->u, )"
      R"(REC->a[0], REC->a[1], (int)REC->b, REC->s == -3 ? "equal" : "not equal")");
  ASSERT_TRUE(format.has_value());
  ByteWriter out(kHostOrder);
  out.put16(0xfffd).put16(0xfe).put16(0xfffd).put16(0xfffc).put16(7);
  const PrintFormat print(*format, {});
  TextBuffer text;
  print.print(text, out.take(), nullptr);
  EXPECT_EQ(text.view(), "-3    -2 -3 fffd fffffffd -2 65533 -4 7 -2 not equal");
}

TEST(PrintFormat, ExpressionsAreThoseOfC) {
  EXPECT_EQ(text(R"("%d %d %d", 10 - 4 - 3, 1 << 2 + 1, 1 ? 2 : 3 ? 4 : 5)"), "3 8 2");
  EXPECT_EQ(text(R"("%s", REC->i ? "yes" : "no")"), "yes");
  EXPECT_EQ(text(R"("%u:%u", ((unsigned int) ((REC->l) >> 20)), ((unsigned int) ((REC->l) & ((1U << 20) - 1))))"),
            "4294965264:16");
  EXPECT_EQ(text(R"("%d", (int)sizeof(REC->comm) + sizeof(u32))"), "12");
  EXPECT_EQ(text(R"("%lx", (u8)REC->l)"), "10");
}

TEST(PrintFormat, TablesNameFlagsAndSymbols) {
  constexpr std::string_view kFlags = R"("%s", __print_flags(REC->l & 0x1f, "|", { 1, "A" }, { (1 << 4), "B" "C" }))";
  EXPECT_EQ(text(kFlags), "BC");
  EXPECT_EQ(text(R"("%s", __print_symbolic(REC->i & 3, { 3, "three" }))"), "three");
  EXPECT_EQ(text(R"("%s", __print_symbolic(REC->i & 3, { 1, "one" }))"), "0x3");
  const PrintFormat format(format_of(kFlags), {});
  ASSERT_NE(format.names_of("l"), nullptr);
  EXPECT_TRUE(format.names_of("l")->flags);
  EXPECT_EQ(format.names_of("l")->text(0x31), "A|BC|0x20");
  EXPECT_EQ(format.names_of("i"), nullptr);
}

TEST(PrintFormat, DynamicFieldsAreFollowed) {
  EXPECT_EQ(text(R"("%s %d", __get_str(path), __get_dynamic_array_len(path))"), "file 5");
  EXPECT_EQ(text(R"("%s", __print_array(__get_dynamic_array(numbers), __get_dynamic_array_len(numbers) / 4, 4))"),
            "1 2");
  EXPECT_EQ(text(R"("%d", ((u32 *)__get_dynamic_array(numbers))[1])"), "2");
  EXPECT_EQ(text(R"("%s", __print_hex(__get_dynamic_array(path), 2))"), "66 69");
}

TEST(PrintFormat, PointersShowWhatTheyPointAt) {
  EXPECT_EQ(text(R"("%pS %ps %p", (void *)REC->l, (void *)REC->l, (void *)REC->l)"),
            "schedule+0x10 schedule 0xffffffff81000010");
  EXPECT_EQ(text(R"("%pS %p", (void *)7, (void *)0)"), "0x7 (nil)");
  EXPECT_EQ(text(R"("%pISpc %pI4 %pM", REC->address, REC->address, REC->address)"),
            "127.0.0.1:8080 2.0.31.144 INVALIDMAC");
}

TEST(PrintFormat, KnowsTheFieldsThatArePrintedAsSymbols) {
  const PrintFormat format(format_of(R"("function %ps %d", (void *)REC->l, REC->i)"), {});
  EXPECT_TRUE(format.is_symbol("l"));
  EXPECT_FALSE(format.is_symbol("i"));
  EXPECT_FALSE(format.is_symbol("function"));
}

TEST(PrintFormat, RecordsOfOtherMachinesReadTheSame) {
  constexpr std::string_view kFormat = R"("%d %llx %s %d", REC->i, REC->l, __get_str(path),
                                       ((u32 *)__get_dynamic_array(numbers))[1])";
  EXPECT_EQ(text(kFormat, ByteOrder::Big), text(kFormat, ByteOrder::Little));
}

TEST(PrintFormat, ShowsFieldsOfUnsupportedFormats) {
  const PrintFormat format(format_of(R"("%d", jiffies_to_msecs(REC->l))"), {});
  EXPECT_EQ(format.complaint(), "unknown function jiffies_to_msecs before 'REC->l)'");
  TextBuffer out;
  format.print(out, record(), nullptr);
  EXPECT_TRUE(
      out.view().starts_with("[FAILED TO PARSE] i=-1 l=0xffffffff81000010 comm=bash path=file numbers=ARRAY[01"))
      << out.view();
}

TEST(PrintFormat, ShortRecordsAndDeepFormatsDoNoHarm) {
  const PrintFormat format(format_of(R"("%d %s %s %pISpc", REC->i, REC->comm, __get_str(path), REC->address)"), {});
  const auto whole = record();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    TextBuffer out;
    format.print(out, Bytes(whole).first(size), nullptr);
    EXPECT_LT(out.size(), 100u);
  }
  const std::string deep = "\"%d\", " + std::string(10000, '(') + "1" + std::string(10000, ')');
  EXPECT_NE(PrintFormat(format_of(deep), {}).complaint(), "");
  const std::string minus = "\"%d\", " + std::string(10000, '-') + "1";
  EXPECT_NE(PrintFormat(format_of(minus), {}).complaint(), "");
}

TEST(PrintFormat, TextOfOneRecordIsLimited) {
  std::string wide = "\"";
  for (int i = 0; i < 2000; ++i) wide += "%4000d";
  wide += '"';
  for (int i = 0; i < 2000; ++i) wide += ", 1";
  EXPECT_LE(text(wide).size(), PrintFormat::kMostText + 5000);
}

// If the record's mask has a field's bit, the field is a placeholder: for a decimal number, a hexadecimal number, or
// text.
TEST(PrintFormat, MarksUnavailableFields) {
  const auto format = parse_trace_format(
      "probe_x",
      "name: f\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:s32 a;\toffset:4;\tsize:4;\tsigned:1;\n\tfield:u32 b;\toffset:8;\tsize:4;\tsigned:0;\n"
      "\tfield:__data_loc char[] c;\toffset:12;\tsize:4;\tsigned:1;\n"
      "\tfield:u64 __unavailable;\toffset:16;\tsize:8;\tsigned:0;\n\n"
      "print fmt: \"a=%d b=0x%x c=\\\"%s\\\" __unavailable=0x%Lx\", REC->a, REC->b, __get_str(c), "
      "REC->__unavailable\n");
  ASSERT_TRUE(format);
  const PrintFormat print(*format, TraceMachine{});
  EXPECT_EQ(print.complaint(), "");
  const auto printed = [&](u64 mask) {
    ByteWriter record(kHostOrder);
    record.put16(1).zeros(2).put32(~0u).put32(0xdeade12d).put32(24 | 2 << 16).put64(mask).append("?").zeros(1);
    TextBuffer out, fields;
    print.print(out, record.bytes(), nullptr);
    print.print_fields(fields, record.bytes());
    return std::string(out.view()) + " |" + std::string(fields.view());
  };
  EXPECT_EQ(printed(0), "a=-1 b=0xdeade12d c=\"?\" | a=-1 b=3735937325 c=?");
  EXPECT_EQ(printed(6), "a=-1 b=(unavailable) c=\"(unavailable)\" | a=-1 b=(unavailable) c=(unavailable)");
}

TEST(PrintFormat, BitmapsAreListsWhenWanted) {
  PrintFormat format(format_of(R"("%s %d", __get_bitmask(numbers), REC->i)"), {});
  const auto printed = [&] {
    TextBuffer out;
    format.print(out, record(), nullptr);
    return std::string(out.view());
  };
  EXPECT_EQ(printed(), "00000002,00000001 -1");
  EXPECT_FALSE(format.is_bit_list("numbers"));
  format.list_bits();
  EXPECT_EQ(printed(), "0,33 -1");
  EXPECT_TRUE(format.is_bit_list("numbers"));
  EXPECT_FALSE(format.is_bit_list("i"));
  TextBuffer out;
  format.put_bits(out, "numbers", record());
  EXPECT_EQ(out.view(), "0,33");
}

}  // namespace
}  // namespace peregrine
