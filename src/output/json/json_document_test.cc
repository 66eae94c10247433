#include "output/json/json_document.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace peregrine
