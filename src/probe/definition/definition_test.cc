#include "probe/definition/definition.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

ProbeDefinition parsed(std::string_view text) {
  auto definition = parse_probe(text);
  EXPECT_TRUE(definition) << text << ": " << (definition ? "" : definition.error().message);
  return definition ? *definition : ProbeDefinition();
}

TEST(ProbeDefinition, PlacesOfAFunction) {
  EXPECT_EQ(parsed("work").place.function, "work");
  EXPECT_EQ(parsed("work+0x10").place.offset, 16u);
  EXPECT_EQ(parsed("work+16").place.offset, 16u);
  EXPECT_TRUE(parsed("work%return").place.is_return);
  EXPECT_EQ(parsed("work:81").place.line, 81u);
  EXPECT_EQ(parsed("work;tcp_push(*").place.pattern, "tcp_push(*");
  EXPECT_EQ(parsed("work@net/tcp.c:8").place.file, "net/tcp.c");
  EXPECT_EQ(parsed("work@net/tcp.c:8").place.line, 8u);
}

TEST(ProbeDefinition, PlacesOfAFile) {
  const auto line = parsed("main.c:12");
  EXPECT_EQ(line.place.file, "main.c");
  EXPECT_TRUE(line.place.function.empty());
  EXPECT_EQ(line.place.line, 12u);
  EXPECT_EQ(parsed("main.c;*lock(*").place.pattern, "*lock(*");
  // A dot alone does not make it a file.
  EXPECT_EQ(parsed("foo.isra.0").place.function, "foo.isra.0");
}

TEST(ProbeDefinition, NamesOfTheEvent) {
  EXPECT_EQ(parsed("start=work").event, "start");
  EXPECT_EQ(parsed("mine:start=work").group, "mine");
  EXPECT_EQ(parsed("work;a==b").place.pattern, "a==b");
  EXPECT_FALSE(parse_probe("1st=work"));
  EXPECT_TRUE(parsed("%sdt_libc:setjmp").is_marker);
  EXPECT_EQ(parsed("%sdt_libc:setjmp").group, "sdt_libc");
  EXPECT_TRUE(parsed("sdt_libc:setjmp").is_marker);
  EXPECT_EQ(parsed("ns::A::get:3").place.function, "ns::A::get");
  EXPECT_EQ(parsed(R"(foo\+bar.c:4)").place.file, "foo+bar.c");
  EXPECT_EQ(parsed(R"(malloc_get_state\@GLIBC_2.2.5)").place.function, "malloc_get_state@GLIBC_2.2.5");
}

TEST(ProbeDefinition, Arguments) {
  const auto definition =
      parsed("work n size=big name:string o->in.arr[3]:x8 (struct sock *)p->sk %di $retval +8(%si):u32 v@user");
  ASSERT_EQ(definition.arguments.size(), 9u);
  EXPECT_EQ(definition.arguments[1].name, "size");
  EXPECT_EQ(definition.arguments[1].variable, "big");
  EXPECT_EQ(definition.arguments[2].type, "string");
  const auto& chain = definition.arguments[3];
  ASSERT_EQ(chain.fields.size(), 3u);
  EXPECT_TRUE(chain.fields[0].arrow);
  EXPECT_EQ(chain.fields[1].name, "arr");
  EXPECT_EQ(chain.fields[2].index, 3);
  EXPECT_EQ(chain.text(), "o->in.arr[3]:x8");
  EXPECT_EQ(definition.arguments[4].cast, "struct sock *");
  EXPECT_FALSE(definition.arguments[5].is_variable());
  EXPECT_EQ(definition.arguments[7].variable, "+8(%si)");
  EXPECT_EQ(definition.arguments[7].type, "u32");
  EXPECT_TRUE(definition.arguments[8].user);
}

TEST(ProbeDefinition, MistakesSayWhichWordIsMeant) {
  for (const char* text : {"", "work+x", "work:x", "work%foo", "work%return:3", "work+4:3", "work;", "work a-b",
                           "work a[", "work a[b]", "work a.", "work a:", "main.c:0", "@", "work 1a=b"}) {
    const auto definition = parse_probe(text);
    ASSERT_FALSE(definition) << text;
    EXPECT_EQ(definition.error().kind, ErrorKind::Usage) << text;
    EXPECT_FALSE(definition.error().message.empty());
  }
}

TEST(ProbeDefinition, KnowsWhichVariablesHaveFieldsOfTheirOwn) {
  const auto definition = parse_probe("work n text:string o->i.a mine=k $params");
  ASSERT_TRUE(definition);
  EXPECT_TRUE(definition->has_field("n"));
  EXPECT_TRUE(definition->has_field("mine"));
  EXPECT_FALSE(definition->has_field("k"));
  EXPECT_FALSE(definition->has_field("text"));  // its field is called text_string
  EXPECT_FALSE(definition->has_field("o"));
}

TEST(ProbeDefinition, LineRanges) {
  const auto range = [](std::string_view text) { return parse_line_range(text).value_or(LineRange{"bad", "", 0, {}}); };
  EXPECT_EQ(range("work").function, "work");
  EXPECT_EQ(range("work:4-6").last, 6u);
  EXPECT_EQ(range("work:4+2").last, 5u);
  EXPECT_EQ(range("main.c:100-120").file, "main.c");
  EXPECT_EQ(range("work@main.c:3").file, "main.c");
  EXPECT_EQ(range("ns::f").function, "ns::f");
  EXPECT_EQ(range("ns::A::f:3").function, "ns::A::f");
  EXPECT_EQ(range("ns::A::f:3").first, 3u);
  EXPECT_FALSE(parse_line_range("work:6-4"));
  EXPECT_FALSE(parse_line_range("work:x"));
}

}  // namespace
}  // namespace peregrine
