#include "event/syntax/modifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "abi/attr.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

// What an attr excludes, as letters of modes and hosts, followed by the other flags.
std::string effects(const EventSpec& spec) {
  std::string text;
  for (const auto& [bit, name] : {std::pair{flag::ExcludeUser, "-u"},
                                  {flag::ExcludeKernel, "-k"},
                                  {flag::ExcludeHv, "-h"},
                                  {flag::ExcludeHost, "-H"},
                                  {flag::ExcludeGuest, "-G"},
                                  {flag::ExcludeIdle, "-I"},
                                  {flag::Pinned, "+D"},
                                  {flag::Exclusive, "+e"}})
    if (spec.attr.has(bit)) text += name;
  for (const auto& [is_set, name] : {std::pair{spec.precise_max, "+P"},
                                     {spec.sample_read, "+S"},
                                     {spec.weak_group, "+W"},
                                     {spec.bpf_counter, "+b"},
                                     {spec.retire_latency, "+R"}})
    if (is_set) text += name;
  return text + std::string(spec.attr.precise_ip(), 'p');
}

std::string modified(std::string_view letters, bool guest = false) {
  EventSpec spec;
  EXPECT_TRUE(apply_modifiers(letters, true, guest, spec, true)) << letters;
  return effects(spec);
}

TEST(Modifiers, MayComeOnceEach) {
  for (const char* good : {"", "u", "uk", "ukh", "p", "pp", "ppp", "upkp", "GHIPSDWebR"})
    EXPECT_TRUE(valid_modifiers(good)) << good;
  for (const char* bad : {"uu", "uku", "pppp", "ppupp", "x", "u x", "U", "SS", "2"})
    EXPECT_FALSE(valid_modifiers(bad)) << bad;
}

TEST(Modifiers, ModesExcludeTheOthers) {
  struct Case {
    std::string_view letters, expected;
  };
  constexpr Case kCases[] = {
      {"", ""},         {"u", "-k-h-G"},  // user space of the host
      {"k", "-u-h"},    {"h", "-u-k"},   {"uk", "-h-G"},      {"kh", "-u"},     {"ukh", "-G"}, {"G", "-H"},
      {"H", "-G"},      {"GH", ""},      {"uH", "-k-h-G"},    {"Gu", "-k-h-H"},  // explicitly chosen hosts are kept
      {"I", "-I"},      {"p", "-Gp"},  // precise samples cannot come from guests
      {"ppp", "-Gppp"}, {"GHp", "p"},    {"upp", "-k-h-Gpp"},
  };
  for (const auto& [letters, expected] : kCases) EXPECT_EQ(modified(letters), expected) << letters;
}

// As with kvm: guest events are wanted.
TEST(Modifiers, GuestsMayBeWanted) {
  EXPECT_EQ(modified("u", true), "-k-h");
  EXPECT_EQ(modified("k", true), "-u-h");
}

TEST(Modifiers, OtherLettersSetOneThing) {
  EXPECT_EQ(modified("P"), "+P");
  EXPECT_EQ(modified("S"), "+S");
  EXPECT_EQ(modified("W"), "+W");
  EXPECT_EQ(modified("b"), "+b");
  EXPECT_EQ(modified("R"), "+R");
  EXPECT_EQ(modified("De"), "+D+e");
}

TEST(Modifiers, TheirOrderDoesNotMatter) {
  for (std::string letters : {"kuh", "GHI", "DSu", "PWe"}) {
    std::ranges::sort(letters);
    const std::string expected = modified(letters);
    while (std::ranges::next_permutation(letters).found) EXPECT_EQ(modified(letters), expected) << letters;
  }
}

TEST(Modifiers, OnlyALeaderIsPinned) {
  EventSpec member;
  ASSERT_TRUE(apply_modifiers("De", true, false, member, false));
  EXPECT_EQ(effects(member), "");
}

// {cycles:k,…}:u counts both modes for that member.
TEST(Modifiers, OfAGroupAddToThoseOfItsMembers) {
  EventSpec member;
  ASSERT_TRUE(apply_modifiers("kp", true, false, member, true));
  ASSERT_TRUE(apply_modifiers("up", false, false, member, true));
  EXPECT_EQ(effects(member), "-h-Gpp");
  // A group is read as a whole or not at all.
  EventSpec reader;
  ASSERT_TRUE(apply_modifiers("S", true, false, reader, true));
  ASSERT_TRUE(apply_modifiers("u", false, false, reader, true));
  EXPECT_FALSE(reader.sample_read);
}

TEST(Modifiers, PrecisionHasALimit) {
  EventSpec spec;
  ASSERT_TRUE(apply_modifiers("pp", true, false, spec, true));
  EXPECT_FALSE(apply_modifiers("pp", false, false, spec, true));
  EXPECT_EQ(spec.attr.precise_ip(), 2u);  // unchanged
  EXPECT_TRUE(apply_modifiers("p", false, false, spec, true));
  EXPECT_EQ(spec.attr.precise_ip(), 3u);
}

// A fresh application replaces the initial exclusions of an event.
TEST(Modifiers, AreFreshForAnEvent) {
  EventSpec spec;
  spec.attr.set(flag::ExcludeGuest);
  spec.attr.set(flag::Disabled);
  ASSERT_TRUE(apply_modifiers("k", true, false, spec, true));
  EXPECT_EQ(effects(spec), "-u-h");
  EXPECT_TRUE(spec.attr.has(flag::Disabled));
}

}  // namespace
}  // namespace peregrine
