// The checks reject whatever readers of the formats reject.
#include "written_check.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace peregrine {
namespace {

TEST(WrittenCheck, Json) {
  EXPECT_EQ(check_json(R"({"a":[1,"\u00e9"]})"), "");
  for (const char* const wrong : {"{\"a\":nan}", "{\"a\":1,}", "[1", "\"\xff\"", "\"\n\"", ""})
    EXPECT_NE(check_json(wrong), "");
  EXPECT_EQ(check_json_lines("{}\n[1]\n"), "");
  EXPECT_NE(check_json_lines("{}\n{\n"), "");
}

TEST(WrittenCheck, Csv) {
  EXPECT_EQ(check_csv("a,b\n1,\"x,\"\"\ny\"\n"), "");
  for (const char* const wrong : {"a,b\n1\n", "a\n\"x\n", "a\nx\"y\n", "a\n\"x\"y\n", "a\n\x1b\n", "a"})
    EXPECT_NE(check_csv(wrong), "") << wrong;
}

TEST(WrittenCheck, FindsLinesThatAreNoValues) {
  EXPECT_EQ(check_values("# PID, TID\n1,2,a\n\n3,4,b,c\n"), "");
  EXPECT_EQ(check_values(""), "");
  for (const char* wrong : {"1,2", "1,2\nfoo\n", "1,\x1b[31m\n"}) EXPECT_NE(check_values(wrong), "") << wrong;
}

TEST(WrittenCheck, FindsFormulas) {
  EXPECT_EQ(check_no_formulas("a,'=1,-5,+1.5e3,-2.5%, -7 ,x=y\n", false), "");
  EXPECT_EQ(check_no_formulas("a,\"'=f(1,2)\",\"b,=c\"\n", true), "");
  for (const char* wrong : {"a,=1\n", "-a,1\n", "a, =1\n", "a,@x", "a,+1+2\n", "\"=1\"\n"})
    EXPECT_NE(check_no_formulas(wrong, false), "") << wrong;
  EXPECT_NE(check_no_formulas("a,\"=f(1,2)\"\n", true), "");
}

TEST(WrittenCheck, Xml) {
  EXPECT_EQ(check_xml("<svg><t>&amp;</t></svg>"), "");
  for (const char* const wrong : {"<svg>", "<a>&</a>", "<a>\x01</a>", "<a b=\"<\"/>", "<a>\xff</a>", ""})
    EXPECT_NE(check_xml(wrong), "") << wrong;
}

TEST(WrittenCheck, PageDataMustUnpack) {
  EXPECT_NE(check_page("<title>a</title><script id=\"data\" type=\"text/plain\">AAAA</script>"), "");
  EXPECT_NE(check_page("<title><b></title>"), "");
}

TEST(WrittenCheck, Pprof) {
  const auto packed = [](std::string message) {
    std::string out(message.size() + 64, 0);
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(message.data());
    stream.avail_in = static_cast<uInt>(message.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  };
  const std::string texts("\x32\x00\x32\x01x", 5);
  EXPECT_EQ(check_pprof(packed(texts + std::string("\x0a\x04\x08\x01\x10\x01", 6))), "");
  EXPECT_NE(check_pprof(packed(texts + std::string("\x0a\x04\x08\x07\x10\x01", 6))), "") << "a text that is not there";
  EXPECT_NE(check_pprof(packed(std::string("\x32\x01x", 3))), "") << "the first text must be empty";
  EXPECT_NE(check_pprof(packed(std::string("\x32\x05x", 3))), "") << "cut";
  EXPECT_NE(check_pprof("x"), "");
}

TEST(WrittenCheck, TextHasNoControlCharacters) {
  EXPECT_EQ(check_text("a\tb\n"), "");
  EXPECT_NE(check_text("\x1b[31m"), "");
}

}  // namespace
}  // namespace peregrine
