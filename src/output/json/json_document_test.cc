#include "output/json/json_document.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace peregrine {
namespace {

TEST(JsonDocumentTest, WritesEveryKindOfValue) {
  Sink out;
  JsonDocument json(out);
  json.object([&] {
    json.member("text", "a\"b\n").member("small", u8{7}).member("signed", -3).member("large", ~u64{0});
    json.member("half", 0.5).member("yes", true).member("no", false).member("none", nullptr);
    json.member("string", std::string("c"));
  });
  EXPECT_EQ(out.text(),
            R"({"text":"a\"b\n","small":7,"signed":-3,"large":18446744073709551615,"half":0.5,"yes":true,"no":false,)"
            R"("none":null,"string":"c"})");
}

TEST(JsonDocumentTest, WritesNullForNumbersThatJsonLacks) {
  Sink out;
  JsonDocument json(out);
  json.object([&] {
    json.number("a", 1.5, "{:.2f}").number("b", {}, "{:.2f}");
    json.number("c", std::numeric_limits<double>::infinity(), "{:f}");
    json.number("d", std::numeric_limits<double>::quiet_NaN(), "{:f}").member("e", 0);
  });
  EXPECT_EQ(out.text(), R"({"a":1.50,"b":null,"c":null,"d":null,"e":0})");
}

TEST(JsonDocumentTest, SeparatesMembersAndElementsAtEveryDepth) {
  Sink out;
  JsonDocument json(out);
  json.object([&] {
    json.array("empty", [] {}).object("inner", [&] { json.array("list", [&] { json.value(1).value(2); }); });
    json.array("objects", [&] {
      json.object([] {}).object([&] { json.member("a", 1); });
      json.array([&] { json.value("x"); });
    });
    json.member("last", 0);
  });
  EXPECT_EQ(out.text(), R"({"empty":[],"inner":{"list":[1,2]},"objects":[{},{"a":1},["x"]],"last":0})");
}

TEST(JsonDocumentTest, EscapesNamesAsItDoesValues) {
  Sink out;
  JsonDocument(out).object([] {});
  JsonDocument json(out);
  json.object([&] { json.member("a\"b", 1); });
  EXPECT_EQ(out.text(), R"({}{"a\"b":1})");
}

TEST(JsonDocumentTest, BeginsALineAfterTheComma) {
  Sink out;
  JsonDocument json(out);
  json.object([&] {
    json.line().member("a", 1).line().member("b", 2);
    json.array("c", [&] { json.line().value(3); });
  });
  EXPECT_EQ(out.text(), "{\n\"a\":1,\n\"b\":2,\"c\":[\n3]}");
}

TEST(JsonDocumentTest, BeginsALineBeforeABracket) {
  Sink out;
  JsonDocument json(out);
  json.begin_object().key("a").begin_array().line().value(1);
  json.line().end_array().member("b", 2).end_object();
  EXPECT_EQ(out.text(), "{\"a\":[\n1\n],\"b\":2}");
}

TEST(JsonDocumentTest, LetsTheCallerWriteAValue) {
  Sink out;
  JsonDocument json(out);
  json.array([&] {
    json.value(1);
    json.next().append("2.50");
    json.value(3);
  });
  EXPECT_EQ(out.text(), "[1,2.50,3]");
}

TEST(JsonDocumentTest, WritesMembersWithoutBraces) {
  Sink out;
  JsonDocument json(out);
  json.member("a", 1).member("b", 2);
  EXPECT_EQ(out.text(), R"("a":1,"b":2)");
}

// The layouts of linux-perf's documents.
TEST(JsonDocumentTest, PutsBlanksAroundColonsAndAfterCommas) {
  Sink out;
  JsonDocument json(out, JsonLayout::Spaced);
  json.object([&] { json.member("a", 1).array("b", [&] { json.value(2).object([] {}); }).member("c", "d,e"); });
  EXPECT_EQ(out.text(), R"({"a" : 1, "b" : [2, {}], "c" : "d,e"})");
}

TEST(JsonDocumentTest, IndentsEachItemByItsDepth) {
  Sink out;
  JsonDocument json(out, JsonLayout::Indented);
  json.object([&] {
    json.member("a", 1).array("b", [&] { json.object([&] { json.member("c", 2); }).value(3); });
    json.array("empty", [] {});
  });
  EXPECT_EQ(out.text(),
            "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t{\n\t\t\t\"c\": 2\n\t\t},\n\t\t3\n\t],\n\t\"empty\": [\n\t]\n}");
}

TEST(JsonDocumentTest, ContinuesADocumentAtItsDepth) {
  Sink out;
  JsonDocument json(out, JsonLayout::Indented, 1);
  json.member("a", 1).end_object();
  EXPECT_EQ(out.text(), ",\n\t\"a\": 1\n}");
}

// What is written for every sample is made once.
TEST(JsonDocumentTest, RepeatsPreparedTextWithTheCommaThatItNeeds) {
  static constexpr auto kSize = json_key<1>("size");
  static constexpr auto kStart = json_start<2>("ip");
  EXPECT_EQ(kSize.view(), ",\n\t\"size\": ");
  EXPECT_EQ(kStart.view(), ",\n\t\t{\n\t\t\t\"ip\": ");
  const std::string element =
      JsonDocument::prepared(JsonLayout::Indented, 2, [](JsonDocument& json) { json.value("x"); });
  Sink out;
  JsonDocument json(out, JsonLayout::Indented);
  json.object([&] {
    json.key(kSize).value(1).key(json_key<1>("name")).escaped("c\\n");
    json.array("list", [&] {
      json.put(element);
      json.put(element);
    });
  });
  EXPECT_EQ(out.text(), "{\n\t\"size\": 1,\n\t\"name\": \"c\\n\",\n\t\"list\": [\n\t\t\"x\",\n\t\t\"x\"\n\t]\n}");
}

}  // namespace
}  // namespace peregrine
