#include "probe/program_probes.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(DefaultGroup, IsTheProgramsNameUpToTheFirstOddCharacter) {
  EXPECT_EQ(default_group("/usr/bin/my_prog"), "probe_my_prog");
  EXPECT_EQ(default_group("/usr/lib/libstdc++.so.6"), "probe_libstdc");
  EXPECT_EQ(default_group("/opt/7z"), "probe_7z");
  EXPECT_EQ(default_group("xfs"), "probe") << "a module of the kernel";
}

TEST(DefaultEvent, DropsSuffixesOfCompilersAndSymbolVersions) {
  EXPECT_EQ(default_event({.function = "work.constprop.0"}, "work.constprop.0"), "work");
  EXPECT_EQ(default_event({.function = "memcpy@@GLIBC_2.14"}, "memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(default_event({.function = "max<int>"}, "max<int>"), "max");
  EXPECT_EQ(default_event({.function = ".start"}, ".start"), "_start") << "the name is not empty";
}

TEST(DefaultEvent, HasOnlyCharactersOfNames) {
  EXPECT_EQ(default_event({.function = "ns::A::get"}, "ns::A::get"), "ns__A__get");
  EXPECT_EQ(default_event({.function = "A::~A"}, "A::~A"), "A___A");
  EXPECT_EQ(default_event({.file = "a.c", .line = 6, .has_line = true}, "3com_open"), "_3com_open");
}

// A glob may match many functions; each becomes an event.
TEST(DefaultEvent, IsTheFunctionFoundWhereThePlaceNamesNone) {
  EXPECT_EQ(default_event({.function = "tcp_*"}, "tcp_push"), "tcp_push");
  EXPECT_EQ(default_event({.file = "tcp.c", .pattern = "x=*"}, "tcp_push"), "tcp_push");
  EXPECT_EQ(default_event({.function = "work"}, "work_alias"), "work") << "as the user calls it";
}

TEST(DefaultEvent, TellsReturnsAndLines) {
  EXPECT_EQ(default_event({.function = "tcp_*", .is_return = true}, "tcp_push"), "tcp_push__return");
  EXPECT_EQ(default_event({.function = "work", .line = 81, .has_line = true}, "work"), "work_L81");
  EXPECT_EQ(default_event({.function = "work", .line = 0, .has_line = true}, "work"), "work");
  EXPECT_EQ(default_event({.function = "work", .offset = 8}, "work"), "work");
}

TEST(EventName, IsTheUsersAndTellsReturns) {
  const auto name = [](std::string_view text) { return event_name_of(parse_probe(text).value(), "found"); };
  EXPECT_EQ(name("start=work"), "start");
  EXPECT_EQ(name("start=work%return"), "start__return");
  EXPECT_EQ(name("start=work:4"), "start");
  EXPECT_EQ(name("work%return"), "work__return");
  EXPECT_EQ(name("w*:4"), "found_L4");
}

}  // namespace
}  // namespace peregrine
