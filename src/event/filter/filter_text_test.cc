#include "event/filter/filter_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace peregrine {
namespace {

constexpr std::string_view kBlock = R"(name: block_rq_complete
ID: 1
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:dev_t dev;	offset:8;	size:4;	signed:0;
	field:sector_t sector;	offset:16;	size:8;	signed:0;
	field:int error;	offset:24;	size:4;	signed:1;
	field:long ret;	offset:32;	size:8;	signed:1;
	field:unsigned int flags;	offset:40;	size:4;	signed:0;
	field:char rwbs[8];	offset:44;	size:8;	signed:0;
	field:__data_loc char[] cmd;	offset:52;	size:4;	signed:0;
	field:u8 address[6];	offset:56;	size:6;	signed:0;
	field:__data_loc cpumask_t cpus;	offset:64;	size:4;	signed:0;
	field:const char * name;	offset:72;	size:8;	signed:0;

print fmt: "%s", __print_flags(REC->flags, "|", { 0x1, "SYNC" }, { (4UL), "META" }, { 1 << 3, "LAZY" }), REC->x
)";

TraceFormat format(std::string_view system = "block") { return *parse_trace_format(system, kBlock); }

std::string good(std::string_view filter, std::string_view system = "block") {
  const auto made = kernel_filter(filter, format(system));
  return made ? *made : "refused: " + made.error().what;
}

// "COLUMN what", and the hint.
std::string bad(std::string_view filter) {
  const auto made = kernel_filter(filter, format());
  if (made) return "accepted: " + *made;
  return fmt::format("{} {}{}{}", made.error().column, made.error().what, made.error().hint.empty() ? "" : "; ",
                     made.error().hint);
}

TEST(KernelFilter, KeepsWhatTheKernelTakes) {
  EXPECT_EQ(good("sector > 200"), "sector > 200");
  EXPECT_EQ(good("sector>200&&error!=-5"), "sector > 200 && error != -5");
  EXPECT_EQ(good("(sector >= 40 && sector <= 400) || !(error == 1)"),
            "(sector >= 40 && sector <= 400) || !(error == 1)");
  EXPECT_EQ(good("!!error == 1"), "!!error == 1");
  EXPECT_EQ(good("flags & 0x400000"), "flags & 0x400000");
  EXPECT_EQ(good("flags == 010"), "flags == 010");
  EXPECT_EQ(good("rwbs == \"WS\" && cmd ~ '*x y*'"), "rwbs == \"WS\" && cmd ~ \"*x y*\"");
  EXPECT_EQ(good("common_pid != 7 && cpu == 1"), "common_pid != 7 && cpu == 1");
  EXPECT_EQ(good("cpus & CPUS{0-1,3}"), "cpus & CPUS{0-1,3}");
  EXPECT_EQ(good("CPU == CPUS{0}"), "CPU == CPUS{0}");
  EXPECT_EQ(good("sector.function == schedule"), "sector.function == schedule");
}

TEST(KernelFilter, WritesWhatIsMeant) {
  EXPECT_EQ(good("comm == bash"), "comm == \"bash\"");
  EXPECT_EQ(good("rwbs ~ *W* || rwbs==R"), "rwbs ~ \"*W*\" || rwbs == \"R\"");
  EXPECT_EQ(good("(rwbs != WS)"), "(rwbs != \"WS\")");
  EXPECT_EQ(good("cmd == 'a\"b'"), "cmd == 'a\"b'");
  EXPECT_EQ(good("rwbs !~ *S"), "!(rwbs ~ \"*S\")");
  EXPECT_EQ(good("dev == 8:0"), "dev == 0x800000");
  EXPECT_EQ(good("dev == 253:3"), "dev == 0xfd00003");
  EXPECT_EQ(good("sector == \"12\""), "sector == 12");
  EXPECT_EQ(good("flags & META"), "flags & 0x4");
  EXPECT_EQ(good("flags == SYNC|META"), "flags == 0x5");
  EXPECT_EQ(good("flags == -1"), "flags == 0xffffffff");
  EXPECT_EQ(good("ret == 0xffffffffffffffff"), "ret == -1");
  EXPECT_EQ(good("name ~ *.so"), "name ~ \"*.so\"");
  EXPECT_EQ(good("name ~ *.so", "syscalls"), "name.ustring ~ \"*.so\"");
  EXPECT_EQ(good("name.ustring == x", "syscalls"), "name.ustring == \"x\"");
}

class TwoModes final : public Enumerations {
 public:
  std::vector<Enumerator> of(std::string_view type) override {
    if (type != "const enum mode") return {};
    return {{"MODE_ABS", 0}, {"MODE_REL", 1}, {"MODE_NONE", -1}};
  }
};

TEST(KernelFilter, TakesNamesOfEnums) {
  auto timer = parse_trace_format("timer",
                                  "name: start\nID: 1\nformat:\n"
                                  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                                  "\tfield:const enum mode mode;\toffset:8;\tsize:4;\tsigned:0;\n"
                                  "\tfield:int nr;\toffset:12;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n");
  ASSERT_TRUE(timer);
  TwoModes modes;
  add_enumerators(modes, *timer);
  const auto made = [&](std::string_view filter) { return kernel_filter(filter, *timer).value_or("refused"); };
  EXPECT_EQ(made("mode!=MODE_ABS"), "mode != 0x0");
  EXPECT_EQ(made("mode == MODE_REL || mode == MODE_NONE"), "mode == 0x1 || mode == 0xffffffff");
  const auto refused = kernel_filter("mode == MODE_ABC", *timer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "'mode' is numeric; 'MODE_ABC' is neither a number nor one of its names");
  EXPECT_EQ(refused.error().hint, "did you mean 'MODE_ABS'?");
  EXPECT_EQ(made("nr == MODE_ABS"), "refused");
}

TEST(KernelFilter, FunctionsOfTheFunctionTracerHaveNames) {
  const auto function =
      parse_trace_format("ftrace",
                         "name: function\nID: 1\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                         "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n");
  ASSERT_TRUE(function);
  EXPECT_EQ(kernel_filter("ip == vfs_read", *function).value_or("refused"), "ip == vfs_read");
  EXPECT_EQ(kernel_filter("common_pid == vfs_read", *function).value_or("refused"), "refused");
}

TEST(KernelFilter, PointsAtMistakes) {
  EXPECT_EQ(bad("sektor > 1"), "0 block:block_rq_complete has no field 'sektor'; did you mean 'sector'?");
  EXPECT_EQ(bad("error == 1 && nr > 1"), "14 block:block_rq_complete has no field 'nr'");
  EXPECT_EQ(bad("sector => 100"), "7 unknown operator '=>'; did you mean '>='?");
  EXPECT_EQ(bad("sector = 100"), "7 unknown operator '='; did you mean '=='?");
  EXPECT_EQ(bad("rwbs =~ x"), "5 unknown operator '=~'; did you mean '~'?");
  EXPECT_EQ(bad("rwbs < x"), "5 'rwbs' is a string and does not support '<'; strings support == != ~ (glob) and !~");
  EXPECT_EQ(bad("sector ~ x"),
            "7 'sector' is not a string and does not support '~'; numbers support == != < <= > >= and &");
  EXPECT_EQ(bad("sector == bash"), "10 'sector' is numeric; 'bash' is not a number");
  EXPECT_EQ(bad("flags & LAZY"), "8 'flags' is numeric; 'LAZY' is not a number");  // expressions are not evaluated
  EXPECT_EQ(bad("(flags & 4) == 4"),
            "12 unexpected operator after a test; a bit test takes no comparison: flags & 4, or !(flags & 4)");
  EXPECT_EQ(bad("error == 1 and sector == 2"), "11 'and' is not an operator; use && or ||");
  EXPECT_EQ(bad("error == 1 & sector == 2"), "11 '&' is not an operator; use && or ||");
  EXPECT_EQ(bad("error == 1 sector == 2"), "11 expected && or ||");
  EXPECT_EQ(bad("sector"), "6 expected an operator and a value after 'sector'; numbers support == != < <= > >= and &");
  EXPECT_EQ(bad("sector =="), "9 expected a value after '=='");
  EXPECT_EQ(bad("(sector == 1"), "0 unmatched '('");
  EXPECT_EQ(bad("sector == 1)"), "11 unmatched ')'");
  EXPECT_EQ(bad("rwbs == \"W"), "8 unterminated quote");
  EXPECT_EQ(bad("sector == 1 &&"), "14 expected a field at the end");
  EXPECT_EQ(bad("address == 1"), "8 'address' is an array and cannot be compared");
  EXPECT_EQ(bad("flags == 0x1ffffffff"), "9 0x1ffffffff does not fit in 'flags' (32 bits)");
  EXPECT_EQ(bad("flags > -1"), "8 'flags' cannot be negative");
  EXPECT_EQ(bad(""), "0 empty filter");
  EXPECT_EQ(bad(std::string(100, '(')), "64 nested too deeply");
  EXPECT_EQ(bad("sector.usr == 1").substr(0, 33), "6 'sector' has no suffix '.usr'; ");
}

TEST(KernelFilter, NamesTheFields) {
  const auto refused = kernel_filter("x == 1", format());
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().details,
      "fields: dev, sector, error, ret, flags, rwbs, cmd, address, cpus, name; in every event: cpu, comm, common_pid");
  EXPECT_EQ(format_filter_error("a\nb", {2, "wrong", {}, {}}).message,
            "filter syntax error: 'a b'\n                        \\___ wrong");
}

}  // namespace
}  // namespace peregrine
