#include "probe/definition/trace_probe.h"

#include <gtest/gtest.h>

#include "probe/definition/name_filter.h"
#include "probe/program_probes.h"
#include "probe/registry/probe_cache.h"
#include "probe/registry/sdt_note.h"

#include <elf.h>

namespace peregrine {
namespace {

TEST(TraceProbe, WhatIsWrittenIsReadBack) {
  for (const char* line :
       {"p:probe_x/work /bin/x:0x12f0 n=%si:s32 name_string=+0(%dx):string",
        "r:probe_x/work__return /bin/x:0x12f0 ret=$retval:s64", "p:sdt_p/two /bin/x:0x1153(0x3018) arg1=%bx:s32",
        "p:probe/vfs_read vfs_read+0 %di", "p:probe/xfs_open xfs:xfs_open+4"}) {
    const auto probe = TraceProbe::parse(line);
    ASSERT_TRUE(probe) << line;
    EXPECT_EQ(probe->format(), line);
  }
  // As the kernel displays it.
  const auto kernel = TraceProbe::parse("p:probe_x/work /bin/x:0x00000000000012f0 arg1=$retval");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->offset, 0x12f0u);
  for (const char* line : {"", "p", "p:x", "p:/y /bin/x:0x1", "p:x/y", "p:x/y /bin/x", "p:x/y /bin/x:z",
                           "e:x/y sched.switch", "p:x/y f n=", "p:x/y f =%di", "p:x/y f = n=%di", "p:x/y f :s32"})
    EXPECT_FALSE(TraceProbe::parse(line)) << line;
}

TEST(TraceProbe, ArgumentsOfOneNameAreNumbered) {
  std::vector<TraceArgument> arguments = {{"n", "%di", ""}, {"n_1", "%cx", ""}, {"n", "%si", ""},
                                          {"", "%r8", ""},  {"n", "%dx", ""},   {"", "%r9", ""}};
  name_apart(arguments);
  std::string names;
  for (const TraceArgument& argument : arguments) names += argument.name + ' ';
  EXPECT_EQ(names, "n n_1 n_2  n_3  ");
}

TEST(TraceProbe, GroupsAndEventsAreNamed) {
  EXPECT_EQ(default_group("/usr/lib/libc.so.6"), "probe_libc");
  EXPECT_EQ(default_group("/bin/p-gcc"), "probe_p");
  EXPECT_EQ(default_group(""), "probe");
  EXPECT_EQ(default_event({.function = "work"}, "work"), "work");
  EXPECT_EQ(default_event({.function = "work", .is_return = true}, "work"), "work__return");
  EXPECT_EQ(default_event({.function = "work", .line = 6, .has_line = true}, "work"), "work_L6");
  EXPECT_EQ(default_event({.file = "a.c", .line = 6, .has_line = true}, "area"), "area");
  EXPECT_EQ(default_event({.function = "foo.isra.0"}, "foo.isra.0"), "foo");
}

TEST(NameFilter, GlobsAreCombined) {
  const auto accepts = [](std::string_view text, const std::string& name) {
    const auto filter = NameFilter::parse(text);
    return filter && filter->accepts(name);
  };
  EXPECT_TRUE(accepts("!_* & !*@plt", "main"));
  EXPECT_FALSE(accepts("!_* & !*@plt", "_start"));
  EXPECT_TRUE(accepts("foo*|bar*", "barn"));
  EXPECT_FALSE(accepts("(foo*|bar*)&!*n", "barn"));
  EXPECT_TRUE(accepts("a* & b* | c*", "cat"));
  for (const char* text : {"", "(", "a |", "& a", "a)", "!"}) EXPECT_FALSE(NameFilter::parse(text)) << text;
}

TEST(ProbeCache, TextIsReadBack) {
  const std::string text =
      "%sdt_prov:one=one\np:sdt_prov/one /bin/x:0x1152 arg1=%bx:s32\n#probe_x:work=work n\np:probe_x/work "
      "/bin/x:0x12f0 n=%si:s32\n";
  const auto entries = parse_cached_probes(text);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0].is_marker);
  EXPECT_EQ(entries[1].definition, "work n");
  EXPECT_EQ(format_cached_probes(entries), text);
  EXPECT_TRUE(parse_cached_probes("p:x/y /bin/x:0x1\n#nothing\n").empty());
}

TEST(SdtNote, OperandsOfTheAssemblerBecomeFetches) {
  const auto value = [](std::string_view operand, u16 machine = EM_X86_64) {
    const auto argument = sdt_argument(operand, 1, machine);
    return argument ? argument->value + ':' + argument->type : "none";
  };
  EXPECT_EQ(value("-4@%ebx"), "%bx:s32");
  EXPECT_EQ(value("8@%rax"), "%ax:u64");
  EXPECT_EQ(value("1@%r9b"), "%r9:u8");
  EXPECT_EQ(value("1@$5"), "\\5:u8");
  EXPECT_EQ(value("-8@-16(%rbp)"), "-16(%bp):s64");
  EXPECT_EQ(value("8@(%rdi)"), "+0(%di):u64");
  EXPECT_EQ(value("-8@-16(%rbp,%rcx,8)"), "none");
  EXPECT_EQ(value("8@counter(%rip)"), "none");
  EXPECT_EQ(value("4@[sp, 12]", EM_AARCH64), "+12(%sp):u32");
  EXPECT_EQ(value("8@x0", EM_AARCH64), "%x0:u64");
  EXPECT_EQ(value("-4@w1", EM_AARCH64), "%x1:s32");
  EXPECT_EQ(value("16@%xmm0"), "none");
  EXPECT_EQ(value(""), "none");
}

}  // namespace
}  // namespace peregrine
