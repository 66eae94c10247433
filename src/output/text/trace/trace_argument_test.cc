#include "output/text/trace/trace_argument.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <span>
#include <string>

#include "abi/arch/syscall.h"
#include "analysis/trace/call_summary.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "event/syscall/struct_layout.h"
#include "output/sink.h"
#include "output/text/trace/trace_struct.h"
#include "output/text/trace/trace_summary.h"
#include "support/byte_buffer.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Put>
std::string traced_text(const Put& put) {
  ScriptText out;
  out.room(64);
  put(out);
  return std::string(out.view());
}

class NamedFiles : public TraceNames {
 public:
  std::string_view comm(i32 tid) override { return tid == 7 ? "prog" : ""; }
  std::string_view file(i32, i64 descriptor) override { return descriptor == 3 ? "/tmp/größe\x1b[2J" : ""; }
};

Bytes bytes_of_text(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

TEST(TraceWords, AreAChoiceUnderTheMaskAndTheNamesOfBits) {
  const WordTable flags{
      .name = "open", .mask = 3, .choices = {{0, "RDONLY"}, {1, "WRONLY"}}, .bits = {{0x40, "CREAT"}, {0x300, "SYNC"}}};
  const auto text = [&](u64 value) { return traced_text([&](ScriptText& out) { put_words(out, flags, value); }); };
  struct Case {
    u64 value;
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {0, "RDONLY"},
      {1, "WRONLY"},
      {0x41, "WRONLY|CREAT"},
      {2, "0x2"},
      {0x42, "CREAT|0x2"},
      {0x300, "RDONLY|SYNC"},
      {0x100, "RDONLY|0x100"},  // half of a two-bit name
      {0x1340, "RDONLY|CREAT|SYNC|0x1000"},
      {~u64{0}, "CREAT|SYNC|0xfffffffffffffcbf"},
  };
  for (const Case& one : kCases) EXPECT_EQ(text(one.value), one.text) << one.value;
}

TEST(TraceWords, WithoutBitsSmallNumbersAreDecimal) {
  const WordTable choices{.name = "clock", .choices = {{0, "REALTIME"}}, .bits = {}};
  const auto text = [&](u64 value) { return traced_text([&](ScriptText& out) { put_words(out, choices, value); }); };
  EXPECT_EQ(text(0), "REALTIME");
  EXPECT_EQ(text(999), "999");
  EXPECT_EQ(text(1000), "0x3e8");
}

TEST(TraceWords, PermissionsAreOctal) {
  const WordTable mode{.name = "mode", .mask = 0777, .choices = {}, .bits = {{0100000, "IFREG"}}};
  const auto text = [&](u64 value) { return traced_text([&](ScriptText& out) { put_words(out, mode, value); }); };
  EXPECT_EQ(text(0644), "0644");
  EXPECT_EQ(text(0100644), "IFREG|0644");
  EXPECT_EQ(text(01000), "0x200") << "a bit without a name is no permission";
}

TEST(TraceNumbers, AddressesInTheFirstPageAreNumbers) {
  const auto text = [](u64 value) { return traced_text([&](ScriptText& out) { put_address(out, value); }); };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(4095), "4095");
  EXPECT_EQ(text(4096), "0x1000");
}

TEST(TraceNumbers, ModesAreOctalAsInC) {
  NamedFiles names;
  SyscallSignature signature;
  signature.result = ResultKind::Octal;  // umask(2)
  const auto text = [&](i64 result) {
    return traced_text([&](ScriptText& out) { put_result(out, names, {.result = result}, signature); });
  };
  EXPECT_EQ(text(022), "022");
  EXPECT_EQ(text(0), "0");
}

TEST(TraceNumbers, SignalsHaveShortNames) {
  const auto text = [](i64 value) { return traced_text([&](ScriptText& out) { put_signal(out, value); }); };
  EXPECT_EQ(text(9), "KILL");
  EXPECT_EQ(text(31), "SYS");
  EXPECT_EQ(text(32), "RT_0");
  EXPECT_EQ(text(64), "RT_32");
  for (const i64 none : {0, -1, 65}) EXPECT_EQ(text(none), std::to_string(none));
}

TEST(TraceTexts, AreQuotedAsInC) {
  const auto text = [](std::string_view bytes, bool cut = false) {
    return traced_text([&](ScriptText& out) { put_quoted(out, bytes_of_text(bytes), cut); });
  };
  EXPECT_EQ(text(""), R"("")");
  EXPECT_EQ(text("", true), R"(""...)");
  EXPECT_EQ(text("a b~"), R"("a b~")");
  EXPECT_EQ(text("\"\\'"), R"("\"\\'")");
  EXPECT_EQ(text("\a\b\t\n\v\f\r"), R"("\a\b\t\n\v\f\r")");
  EXPECT_EQ(text(std::string_view("\0\1\x7f\x80\xff", 5)), R"("\000\001\177\200\377")");
  const std::string long_text(10'000, '\xff');
  EXPECT_EQ(text(long_text).size(), 4 * long_text.size() + 2) << "the widest text has room";
}

TEST(TraceNumbers, DescriptorsAndThreadsHaveTheirNamesIfKnown) {
  NamedFiles names;
  const auto file = [&](i64 fd) { return traced_text([&](ScriptText& out) { put_fd(out, names, 7, fd); }); };
  const auto thread = [&](i64 pid) { return traced_text([&](ScriptText& out) { put_pid(out, names, pid); }); };
  EXPECT_EQ(file(3), "3</tmp/größe\\033[2J>") << "a name cannot command the terminal";
  EXPECT_EQ(file(-1), "-1");
  EXPECT_EQ(thread(7), "7 (prog)");
  EXPECT_EQ(thread(8), "8");
  EXPECT_EQ(thread(-7), "-7") << "a process group";
}

TEST(TraceBits, AreNumbersAndRanges) {
  const auto text = [](std::string_view bits, u32 count = ~0u, bool cut = false) {
    return traced_text([&](ScriptText& out) { put_bits(out, bytes_of_text(bits), count, cut); });
  };
  EXPECT_EQ(text(""), "[]");
  EXPECT_EQ(text(std::string_view("\0\0", 2)), "[]");
  EXPECT_EQ(text("\x05"), "[0, 2]");
  EXPECT_EQ(text("\x03"), "[0, 1]") << "two are no range";
  EXPECT_EQ(text("\x80\x03"), "[7-9]") << "across bytes";
  EXPECT_EQ(text("\xff\xff"), "[0-15]");
  EXPECT_EQ(text("\xff\xff", 10), "[0-9]") << "select(2) reads no further";
  EXPECT_EQ(text("\x01", ~0u, true), "[0, ...]");
}

TEST(TraceStructs, HaveTheirFieldsByKind) {
  const StructLayout layout{.name = "all",
                            .size = 40,
                            .fields = {{.name = "s", .kind = FieldKind::Signed, .offset = 0, .size = 2},
                                       {.name = "u", .kind = FieldKind::Unsigned, .offset = 2, .size = 2},
                                       {.name = "m", .kind = FieldKind::Octal, .offset = 4, .size = 4},
                                       {.name = "p", .kind = FieldKind::Pointer, .offset = 8, .size = 8},
                                       {.name = "set", .kind = FieldKind::SignalSet, .offset = 16, .size = 8},
                                       {.name = "name", .kind = FieldKind::Text, .offset = 24, .size = 8}}};
  const auto raw = ByteBuffer(std::endian::native == std::endian::little ? Endian::Little : Endian::Big)
                       .put16(0xfffe)
                       .put16(0xfffe)
                       .put32(0644)
                       .put64(0xdead0000)
                       .put64(1u << 8 | 1u << 14)
                       .text("ab\"\0zzzz");
  const auto text = [&](std::size_t size) {
    return traced_text(
        [&](ScriptText& out) { put_structs(out, layout, Bytes(raw.bytes()).first(size), false, false); });
  };
  const std::string_view head = "{ .s: -2, .u: 65534, .m: 0644, .p: 0xdead0000";
  EXPECT_EQ(text(24), fmt::format("{}, .set: [KILL,TERM] }}", head));
  EXPECT_EQ(text(23), fmt::format("{} }}", head)) << "the caller's struct is shorter than the kernel's";
  EXPECT_EQ(text(1), "?") << "not even one field";
}

TEST(TraceStructs, ArraysAreLimited) {
  const StructLayout layout{.name = "pair",
                            .size = 2,
                            .fields = {{.name = "", .kind = FieldKind::Unsigned, .offset = 0, .size = 1},
                                       {.name = "", .kind = FieldKind::Unsigned, .offset = 1, .size = 1}}};
  const StructLayout number{
      .name = "number", .size = 1, .fields = {{.name = "", .kind = FieldKind::Unsigned, .offset = 0, .size = 1}}};
  const std::string raw(40, '\1');
  const auto text = [&](const StructLayout& of, std::size_t size, bool cut = false) {
    return traced_text([&](ScriptText& out) { put_structs(out, of, bytes_of_text(raw).first(size), true, cut); });
  };
  EXPECT_EQ(text(layout, 0), "[]");
  EXPECT_EQ(text(layout, 4), "[[1, 1], [1, 1]]");
  EXPECT_EQ(text(layout, 5), "[[1, 1], [1, 1]]") << "half a struct is none";
  EXPECT_EQ(text(number, 3), "[1, 1, 1]") << "a struct of one field without a name is that field";
  EXPECT_EQ(text(number, 3, true), "[1, 1, 1, ...]");
  EXPECT_THAT(text(number, 16), Not(HasSubstr("...")));
  EXPECT_THAT(text(number, 17), EndsWith("1, ...]"));
}

TEST(TraceStructs, SocketAddressesDependOnTheirFamily) {
  const auto text = [](std::string_view bytes) {
    return traced_text([&](ScriptText& out) { put_socket_address(out, bytes_of_text(bytes)); });
  };
  struct Case {
    std::string_view bytes, text;
  };
  using namespace std::string_view_literals;
  const Case cases[] = {
      {"\2\0\x1f\x90\x7f\0\0\1"sv, "{ .family: INET, port: 8080, addr: 127.0.0.1 }"},
      {"\2\0\x1f\x90\x7f\0\0"sv, "{ .family: 2 }"},  // cut
      {"\1\0/run/x\0yz"sv, "{ .family: LOCAL, path: \"/run/x\" }"},
      {"\1\0\0bus\0"sv, "{ .family: LOCAL, path: @\"bus\\000\" }"},  // an abstract name may have any bytes
      {"\1\0"sv, "{ .family: LOCAL }"},                              // unnamed
      {"\20\0\0\0\7\0\0\0\1\0\0\0"sv, "{ .family: NETLINK, pid: 7, groups: 0x1 }"},
      {"\21\0"sv, "{ .family: 17 }"},
      {""sv, "{ .family: 0 }"},
  };
  if (std::endian::native != std::endian::little) GTEST_SKIP() << "the bytes are those of a little-endian caller";
  for (const Case& one : cases) EXPECT_EQ(text(one.bytes), one.text);
}

// Two threads: 7 makes three calls that take 0.5, 1 and 3 ms, one of which fails; 8 makes one.
CallSummary four_calls(SumBy by) {
  CallSummary summary(by);
  const auto add = [&](i32 tid, u32 number, u64 duration, i64 result) {
    summary.add({.set = abi::SyscallSet::X86_64,
                 .number = number,
                 .pid = 7,
                 .tid = tid,
                 .duration = duration,
                 .result = result});
  };
  add(7, 0, 1'000'000, 5);
  add(7, 0, 3'000'000, -11);
  add(7, 999, 500'000, -5000);
  add(8, 0, 2'000'000, 0);
  return summary;
}

std::string summary_text(const CallSummary& summary, TraceSummaryStyle style) {
  style.comm = [](Pid tid) { return tid == 7 ? std::string("prog") : std::string(); };
  style.call = [](abi::SyscallSet, u32 number) -> std::string_view { return number == 0 ? "read" : ""; };
  Sink out;
  write_trace_summary(out, summary, style);
  return out.take();
}

TEST(TraceSummary, HasABlockPerThreadAndARowPerCall) {
  const std::string text = summary_text(four_calls(SumBy::Thread), {});
  EXPECT_THAT(text,
              HasSubstr("\n Summary of events:\n\n prog (7), 6 events, 75.0%\n\n   syscall            calls  errors"));
  EXPECT_THAT(text,
              HasSubstr("   read                   2      1     4.000     1.000     2.000     3.000     50.00%\n"));
  EXPECT_THAT(text,
              HasSubstr("   syscall_999            1      0     0.500     0.500     0.500     0.500      0.00%\n"))
      << "a call without a name; -5000 is no error number";
  EXPECT_THAT(text, HasSubstr(" :8 (8), 2 events, 25.0%\n"));
}

TEST(TraceSummary, ErrorsAreListedOnRequest) {
  EXPECT_THAT(summary_text(four_calls(SumBy::Thread), {}), Not(HasSubstr("EAGAIN")));
  EXPECT_THAT(summary_text(four_calls(SumBy::Thread), {.errors = true}), HasSubstr("50.00%\n\t\t\t\tEAGAIN: 1\n"));
}

TEST(TraceSummary, RowsAreLimitedByBlock) {
  const std::string text = summary_text(four_calls(SumBy::Thread), {.most = 1});
  EXPECT_THAT(text, Not(HasSubstr("syscall_999"))) << "the calls that took longest are first";
  EXPECT_THAT(text, HasSubstr(" :8 (8)"));
}

TEST(TraceSummary, TheTotalIsOneBlock) {
  const std::string text = summary_text(four_calls(SumBy::Total), {.by = SumBy::Total});
  EXPECT_THAT(text, HasSubstr(" total, 8 events\n\n"));
  EXPECT_THAT(text, HasSubstr("   read                   3      1     6.000     1.000     2.000     3.000"));
}

TEST(TraceSummary, WithoutCallsThereIsOnlyTheTitle) {
  EXPECT_EQ(summary_text(CallSummary(SumBy::Thread), {}), "\n Summary of events:\n\n");
}

}  // namespace
}  // namespace peregrine
