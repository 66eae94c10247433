#include "event/syntax/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "event/attr_text.h"
#include "event/config/record_config.h"
#include "support/server_sources.h"

namespace peregrine {
namespace {

// One "name: attr" line per event, or "error: MESSAGE".
std::string parsed(std::string_view words) {
  auto sources = support::server_sources();
  EventList list;
  if (auto done = parse_events(words, sources, list); !done) return "error: " + done.error().message;
  std::string text;
  for (const auto& spec : list) text += (text.empty() ? "" : "\n") + spec.name + ": " + attr_text(spec.attr);
  return text;
}

std::string hint(std::string_view words) {
  auto sources = support::server_sources();
  EventList list;
  auto done = parse_events(words, sources, list);
  return done ? "no error" : done.error().hint;
}

struct Row {
  const char* words;
  const char* expected;
};

// The attrs that linux-perf 6.1 requests for the same arguments.
TEST(ParseEvents, WordsToAttrs) {
  const Row rows[] = {
      {"cycles", "cycles: size: 128, exclude_guest: 1"},
      {"cycles:u", "cycles:u: size: 128, exclude_kernel: 1, exclude_hv: 1, exclude_guest: 1"},
      {"cycles:k", "cycles:k: size: 128, exclude_user: 1, exclude_hv: 1"},
      {"cycles:h", "cycles:h: size: 128, exclude_user: 1, exclude_kernel: 1"},
      {"cycles:uk", "cycles:uk: size: 128, exclude_hv: 1, exclude_guest: 1"},
      {"cycles:pp", "cycles:pp: size: 128, precise_ip: 2, exclude_guest: 1"},
      {"cycles:P", "cycles:P: size: 128"},
      {"cycles:G", "cycles:G: size: 128, exclude_host: 1"},
      {"cycles:GH", "cycles:GH: size: 128"},
      {"cycles:pG", "cycles:pG: size: 128, precise_ip: 1, exclude_host: 1"},
      {"cycles:uG", "cycles:uG: size: 128, exclude_kernel: 1, exclude_hv: 1, exclude_host: 1"},
      {"cycles:I", "cycles:I: size: 128, exclude_idle: 1"},
      {"cycles:D", "cycles:D: size: 128, pinned: 1"},
      {"cycles:e", "cycles:e: size: 128, exclusive: 1"},
      {"cycles:", "cycles:: size: 128, exclude_guest: 1"},
      {" cycles , faults ",
       "cycles: size: 128, exclude_guest: 1\nfaults: type: 1, size: 128, config: 0x2, exclude_guest: 1"},
      {"cpu-clock:pppH", "cpu-clock:pppH: type: 1, size: 128, precise_ip: 3, exclude_guest: 1"},
      {"bpf-output",
       "bpf-output: type: 1, size: 128, config: 0xa, { sample_period, sample_freq }: 1, sample_type: "
       "TIME|CPU|PERIOD|RAW, exclude_guest: 1"},
      {"L1-dcache-load-misses", "L1-dcache-load-misses: type: 3, size: 128, config: 0x10000, exclude_guest: 1"},
      {"l1-d-load-miss", "l1-d-load-miss: type: 3, size: 128, config: 0x10000, exclude_guest: 1"},
      {"dTLB-loads:u",
       "dTLB-loads: type: 3, size: 128, config: 0x3, exclude_kernel: 1, exclude_hv: 1, exclude_guest: 1"},
      {"LLC", "LLC: type: 3, size: 128, config: 0x2, exclude_guest: 1"},
      {"r80a2:u", "r80a2:u: type: 4, size: 128, config: 0x80a2, exclude_kernel: 1, exclude_hv: 1, exclude_guest: 1"},
      {"1:2", "1:2: type: 1, size: 128, config: 0x2, exclude_guest: 1"},
      {"4:0x80a2:k", "4:0x80a2:k: type: 4, size: 128, config: 0x80a2, exclude_user: 1, exclude_hv: 1"},
      {"mem:0x1000",
       "mem:0x1000: type: 5, size: 128, { sample_period, sample_freq }: 1, exclude_guest: 1, bp_type: 3, "
       "{ bp_addr, config1 }: 0x1000, { bp_len, config2 }: 0x4"},
      {"mem:0x1000/8:wr:u",
       "mem:0x1000: type: 5, size: 128, { sample_period, sample_freq }: 1, exclude_kernel: 1, exclude_hv: 1, "
       "exclude_guest: 1, bp_type: 3, { bp_addr, config1 }: 0x1000, { bp_len, config2 }: 0x8"},
      {"mem:100:x",
       "mem:100:x: type: 5, size: 128, { sample_period, sample_freq }: 1, exclude_guest: 1, bp_type: 4, "
       "{ bp_addr, config1 }: 0x64, { bp_len, config2 }: 0x8"},
      {"sched:sched_switch",
       "sched:sched_switch: type: 2, size: 128, config: 0x13c, { sample_period, sample_freq }: 1, sample_type: "
       "TIME|CPU|PERIOD|RAW, exclude_guest: 1"},
      {"cpu/event=0x3c,umask=1,name=foo/u",
       "foo: type: 4, size: 128, config: 0x13c, exclude_kernel: 1, exclude_hv: 1, exclude_guest: 1"},
      {"cpu/event=0x3c,edge=1,inv,cmask=2/",
       "cpu/event=0x3c,edge=1,inv,cmask=2/: type: 4, size: 128, config: 0x284003c, exclude_guest: 1"},
      {"cpu/mem-loads,ldlat=30/",
       "cpu/mem-loads,ldlat=30/: type: 4, size: 128, config: 0x1cd, exclude_guest: 1, { bp_addr, config1 }: 0x1f"},
      {"cpu/r3c/", "cpu/r3c/: type: 4, size: 128, config: 0x3c, exclude_guest: 1"},
      {"cpu/config=0x3c/", "cpu/config=0x3c/: type: 4, size: 128, config: 0x3c, exclude_guest: 1"},
      {"cpu//", "cpu//: type: 4, size: 128, exclude_guest: 1"},
      {"mem-loads", "mem-loads: type: 4, size: 128, config: 0x1cd, exclude_guest: 1, { bp_addr, config1 }: 0x3"},
      {"spread/split=0xff,far=2/",
       "spread/split=0xff,far=2/: type: 33, size: 128, config: 0xf00000000000000f, exclude_guest: 1, "
       "{ bp_len, config2 }: 0x200"},
      {"cycles/config=5/", "cycles/config=5/: size: 128, config: 0x5, exclude_guest: 1"},
      {"cycles/name='a b'/u", "a b: size: 128, exclude_kernel: 1, exclude_hv: 1, exclude_guest: 1"},
      {"{cycles:k,instructions}:u",
       "cycles:k: size: 128, exclude_hv: 1, exclude_guest: 1\n"
       "instructions: size: 128, config: 0x1, exclude_kernel: 1, exclude_hv: 1, exclude_guest: 1"},
      {"{cycles,instructions}:D",
       "cycles: size: 128, pinned: 1, exclude_guest: 1\n"
       "instructions: size: 128, config: 0x1, exclude_guest: 1"},
  };
  for (const auto& row : rows) EXPECT_EQ(parsed(row.words), row.expected) << row.words;
}

TEST(ParseEvents, ModifiersInBracesAreAlternatives) {
  EXPECT_EQ(parsed("cycles:{k,u}"), parsed("cycles:k,cycles:u"));
  EXPECT_EQ(parsed("{cycles:{k,u},faults}:D"), parsed("{cycles:k,cycles:u,faults}:D"));
  EXPECT_EQ(parsed("sched:sched_switch:{u}"), parsed("sched:sched_switch:u"));
  EXPECT_EQ(parsed("g:{cycles,faults}"), parsed("g{cycles,faults}"));
  EXPECT_EQ(parsed("nothing:{k,u}"),
            "error: event syntax error: 'nothing:{k,u}'\n                     \\___ unknown tracepoint\n\nError:\tFile "
            "/sys/kernel/tracing/events/nothing/k not found.\n");
}

TEST(ParseEvents, ErrorsPointAtTheColumn) {
  const Row rows[] = {
      {"cycles:pppp", "error: event syntax error: 'cycles:pppp'\n                            \\___ Bad modifier"},
      {"cycles:uu", "error: event syntax error: 'cycles:uu'\n                            \\___ Bad modifier"},
      {"cycle", "error: event syntax error: 'cycle'\n                     \\___ unknown event"},
      {"foo/bar/",
       "error: event syntax error: 'foo/bar/'\n                     \\___ Cannot find PMU `foo'. Missing "
       "kernel support?"},
      {"cpu/event=0x100/",
       "error: event syntax error: 'cpu/event=0x100/'\n                               \\___ value too big for format, "
       "maximum is 255"},
      {"cycles/period=x/",
       "error: event syntax error: '..les/period=x/'\n                                  \\___ expected numeric value"},
      {"{cycles,{instructions}}",
       "error: event syntax error: '{cycles,{instructions}}'\n                             \\___ parser error"},
      {"", "error: event syntax error: ''\n                     \\___ parser error"},
      {"prog.c",
       "error: event syntax error: 'prog.c'\n                     \\___ BPF sources and object files are not events"},
      {"./prog.c/map:channel.event=evt/",
       "error: event syntax error: './prog.c/map:channel.event=evt/'\n                     \\___ BPF sources and "
       "object files are not events"},
  };
  for (const auto& row : rows) EXPECT_EQ(parsed(row.words), row.expected) << row.words;
}

TEST(ParseEvents, HintsNameTheNearestRightName) {
  EXPECT_EQ(hint("instructons"), "did you mean 'instructions'?");
  EXPECT_EQ(hint("page-fualts"), "did you mean 'page-faults'?");
  EXPECT_EQ(hint("DTLB-load-misses"), "did you mean 'dTLB-load-misses'?");
  EXPECT_EQ(hint("CYCLES"), "did you mean 'cycles'?");
  EXPECT_EQ(hint("sched:sched_swich"), "did you mean 'sched:sched_switch'?");
  EXPECT_EQ(hint("sced:sched_switch"), "did you mean 'sched:sched_switch'?");
  EXPECT_EQ(hint("cpu/evnt=1/"), "did you mean 'event'?");
}

TEST(ParseEvents, GlobsExpandInDirectoryOrder) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("sched:sched_process_*", sources, list));
  EXPECT_EQ(list.size(), 2u);
  ASSERT_TRUE(parse_events("*:sys_enter_*", sources, list));
  EXPECT_EQ(list.back().name, "syscalls:sys_enter_openat");
  EXPECT_FALSE(parse_events("sched:nothing*", sources, list));
  EXPECT_EQ(list.size(), 3u);
}

TEST(ParseEvents, GroupsKnowTheirLeader) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("cpu-clock,g{cycles,instructions}:S,faults", sources, list));
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[1].leader, 1u);
  EXPECT_EQ(list[1].group_size, 2u);
  EXPECT_EQ(list[1].group_name, "g");
  EXPECT_EQ(list[2].leader, 1u);
  EXPECT_TRUE(list[2].sample_read);
  EXPECT_EQ(list[3].leader, 3u);
  break_group(list, 1);
  EXPECT_EQ(list[2].leader, 2u);
}

TEST(ParseEvents, UncoreEventsAreMerged) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("imc/cas_count_read/", sources, list));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list[0].auto_merge);
  EXPECT_TRUE(list[0].system_wide);
  EXPECT_EQ(*list[0].own_cpus, (std::vector<int>{0, 2}));
  EXPECT_EQ(list[0].unit, "MiB");
  std::vector<std::string> warnings;
  EXPECT_FALSE(configure_for_record({}, {}, list, warnings));
}

TEST(ParseEvents, TermsOfRecordingAreKept) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("cycles/freq=10,period=20,max-stack=5,no-inherit,time=0/", sources, list));
  EXPECT_EQ(list[0].terms.period, 20u);
  EXPECT_EQ(list[0].terms.freq, std::nullopt);
  EXPECT_EQ(list[0].terms.max_stack, 5u);
  EXPECT_EQ(list[0].terms.inherit, false);
  EXPECT_EQ(list[0].terms.time, false);
}

TEST(ParseEvents, NoWordsCrash) {
  for (const char* words :
       {",",         "{",       "}",    "{}",     "{a",     "a{",        "/",           "//",
        "a/",        ":",       "::",   "mem:",   "mem:/",  "mem:1/",    "mem:1::",     "mem:1:rr",
        "r",         "1:",      "cpu/", "cpu/,/", "cpu/=/", "cpu/a=/",   "cpu/name='/", "cycles/name=\"/",
        "sched:",    "sched::", ":x",   "*:*x",   "[",      "cycles:u/", "cycles//x",   "{cycles}:x",
        "{cycles},", "-"})
    EXPECT_TRUE(parsed(words).starts_with("error: ")) << words << " → " << parsed(words);
}

// "cycles:/a cs:" for the events and their cgroups, or the error message.
std::string bound(std::initializer_list<std::pair<const char*, const char*>> options) {
  auto sources = support::server_sources();
  EventList list;
  std::size_t given = 0;
  for (const auto& [events, groups] : options) {
    EXPECT_TRUE(parse_events(events, sources, list));
    if (groups == nullptr) continue;
    if (auto done = bind_cgroups(list, groups, "/cg", given); !done) return done.error().message;
  }
  std::string text;
  for (const auto& spec : list) text += fmt::format("{}{}={}", text.empty() ? "" : " ", spec.name, spec.cgroup);
  return text;
}

TEST(Cgroups, BindToTheEventsBefore) {
  EXPECT_EQ(bound({{"cs,faults", "a"}}), "cs=/cg/a faults=/cg/a");
  EXPECT_EQ(bound({{"cs", "a"}, {"faults", nullptr}}), "cs=/cg/a faults=");
  EXPECT_EQ(bound({{"cs", "a"}, {"faults", "b"}}), "cs=/cg/a faults=/cg/b");
  EXPECT_EQ(bound({{"cs,faults,migrations", ",b"}}), "cs= faults=/cg/b migrations=");
  EXPECT_EQ(bound({{"cs,faults", ","}}), "cs= faults=");
  EXPECT_EQ(bound({{"cs", "a,b"}}), "no event left for cgroup b");
  EventList none;
  std::size_t given = 0;
  EXPECT_EQ(bind_cgroups(none, "a", "/cg", given).error().message, "must define events before cgroups");
}

TEST(Cgroups, TheWholeListForEachGroup) {
  EventList list(3);
  list[0].name = "a";
  list[1].leader = list[2].leader = 1;
  const std::vector<std::string> names{"web", "db/one"};
  expand_cgroups(list, names, "/cg");
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(list[3].name, "a");
  EXPECT_EQ(list[3].cgroup, "/cg/db/one");
  EXPECT_EQ(list[3].cgroup_name, "db/one");
  EXPECT_EQ(list[5].leader, 4u);
  EXPECT_EQ(list[2].cgroup_name, "web");
}

TEST(Filter, BindsToTheLastWords) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("cycles,sched:sched_switch", sources, list));
  EXPECT_FALSE(set_filter(sources, list, 2, "x", FilterUse::Counting));
  EXPECT_FALSE(set_filter(sources, list, 0, "x", FilterUse::Counting));
  ASSERT_TRUE(set_filter(sources, list, 1, "prev_pid == 1", FilterUse::Counting));
  ASSERT_TRUE(exclude_process(list, 0, 7));
  EXPECT_EQ(list[1].filter, "(prev_pid == 1) && (common_pid != 7)");
  EXPECT_FALSE(list[0].filter);
}

TEST(Filter, IsCheckedAgainstTheFields) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("sched:sched_switch", sources, list));
  ASSERT_TRUE(set_filter(sources, list, 0, "prev_comm == bash", FilterUse::Counting));
  EXPECT_EQ(list[0].filter, "prev_comm == \"bash\"");
  const auto refused = set_filter(sources, list, 0, "prev_pidd > 1", FilterUse::Counting);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with(
      "filter syntax error: 'prev_pidd > 1'\n                      \\___ sched:sched_switch has no field 'prev_pidd'"))
      << refused.error().message;
  EXPECT_EQ(refused.error().hint, "did you mean 'prev_pid'?");
  EXPECT_EQ(list[0].filter, "prev_comm == \"bash\"");
}

TEST(Filter, NamesTheEventThatItFits) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("sched:sched_switch", sources, list));
  ASSERT_TRUE(parse_events("cycles", sources, list));
  const auto refused = set_filter(sources, list, 1, "prev_pid > 1", FilterUse::Counting);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "it matches sched:sched_switch: a filter applies to the -e right before it");
}

}  // namespace
}  // namespace peregrine
