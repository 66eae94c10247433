#include "output/text/trace/trace_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "analysis/trace/call_summary.h"
#include "base/bytes.h"
#include "capture/bpf/syscall/syscall_tracer.h"

namespace peregrine {
namespace {

class Names : public TraceNames {
 public:
  std::string_view comm(i32 tid) override { return tid == 7 ? "prog" : ""; }
  std::string_view file(i32, i64 descriptor) override { return descriptor == 3 ? "/etc/passwd" : ""; }
};

class Line : public ::testing::Test {
 protected:
  std::string text(const TracedCall& call, TraceStyle style = {}) {
    TraceLine line(wide_, narrow_, names_, style);
    line.begin_at(1'000'000);
    ScriptText out;
    line.put(out, call);
    return std::string(out.view());
  }
  static TracedCall call(u32 number, std::array<u64, 6> arguments, i64 result) {
    return {.set = abi::SyscallSet::X86_64,
            .number = number,
            .pid = 7,
            .tid = 7,
            .start = 1'011'400,
            .duration = 4'499,
            .result = result,
            .arguments = arguments};
  }
  static Bytes bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

  Signatures wide_{abi::SyscallSet::X86_64}, narrow_{abi::SyscallSet::I386};
  Names names_;
};

TEST_F(Line, IsInLinuxPerfsForm) {
  TracedCall open = call(257, {static_cast<u64>(-100), 0x1234, 0x80000, 0}, 3);
  open.pieces = 1;
  open.piece[0] = {1, false, bytes("/etc/ld.so.cache")};
  EXPECT_EQ(text(open),
            "     0.011 ( 0.004 ms): prog/7 openat(dfd: CWD, filename: \"/etc/ld.so.cache\", flags: RDONLY|CLOEXEC) = "
            "3\n");
  EXPECT_EQ(text(call(39, {}, 7)), "     0.011 ( 0.004 ms): prog/7 getpid()" + std::string(62, ' ') + "= 7\n");
}

TEST_F(Line, RoundsAsC) {
  TracedCall call = this->call(39, {}, 7);
  for (u64 duration = 500; duration < 100'000; duration += 1000) {
    call.duration = duration;
    const std::string expected = fmt::format("({:6.3f} ms)", static_cast<double>(duration) / 1e6);
    EXPECT_NE(text(call).find(expected), std::string::npos) << expected;
  }
}

TEST_F(Line, NamesFilesErrorsAndWords) {
  EXPECT_NE(text(call(3, {3}, -9)).find("close(fd: 3</etc/passwd>)"), std::string::npos);
  EXPECT_NE(text(call(3, {4}, -9)).find("= -1 EBADF (Bad file descriptor)\n"), std::string::npos);
  EXPECT_NE(text(call(35, {1}, -516)).find("= -1 ERESTART_RESTARTBLOCK (Interrupted, to be restarted)"),
            std::string::npos);
  EXPECT_NE(text(call(10, {0x1000, 5, 0}, 0)).find("prot: NONE"), std::string::npos);
  EXPECT_NE(text(call(10, {0x1000, 5, 0x43}, 0)).find("prot: READ|WRITE|0x40"), std::string::npos);
  EXPECT_NE(text(call(9, {0, 5, 1, 0x22, static_cast<u64>(-1)}, 0x7000)).find("flags: PRIVATE|ANONYMOUS)"),
            std::string::npos);
  EXPECT_NE(text(call(62, {7, 10}, 0)).find("kill(pid: 7 (prog), sig: USR1)"), std::string::npos);
  EXPECT_NE(text(call(500, {1, 0, 2}, 0)).find("syscall_500(arg0: 0x1, arg2: 0x2)"), std::string::npos);
}

TEST_F(Line, EscapesWhatIsNotText) {
  TracedCall write = call(1, {1, 0x10, 8}, 8);
  write.pieces = 1;
  write.piece[0] = {1, true, bytes(std::string_view("a\"\\\n\0\x1b\xff", 7))};
  EXPECT_NE(text(write).find(R"(buf: "a\"\\\n\000\033\377"..., count: 8)"), std::string::npos);
}

TEST_F(Line, ShowsArraysOfTexts) {
  TracedCall exec = call(59, {0x10, 0x20, 0x30}, 0);
  exec.pieces = 1;
  exec.piece[0] = {1, false, bytes(std::string_view("ls\0\0a b\0", 8))};
  EXPECT_NE(text(exec).find(R"(argv: ["ls", "", "a b"], envp: 0x30)"), std::string::npos) << text(exec);
  const std::string longest = std::string(kLongestText, 'x') + '\0';
  exec.piece[0] = {1, true, bytes(longest)};
  EXPECT_NE(text(exec).find("xx\"..., ...], envp"), std::string::npos) << text(exec);
  exec.piece[0].bytes = {};
  exec.piece[0].cut = false;
  EXPECT_NE(text(exec).find("argv: [], envp"), std::string::npos) << text(exec);
}

TEST_F(Line, ShowsPartsOfMessages) {
  TracedCall write = call(20, {1, 0x10, 2}, 5);
  write.pieces = 1;
  write.piece[0] = {1, false, bytes(std::string_view("\2\0\0\0ab\0\0\3\0\1\0c\"d\0", 16))};
  EXPECT_NE(text(write).find(R"(vec: ["ab", "c\"d"...], vlen: 2)"), std::string::npos) << text(write);
  write.piece[0].bytes = write.piece[0].bytes.first(13);  // shorter than its declared length
  write.piece[0].cut = true;
  EXPECT_NE(text(write).find(R"(vec: ["ab", "c"..., ...], vlen: 2)"), std::string::npos) << text(write);
  TracedCall send = call(46, {4, 0x10, 0}, 5);
  send.pieces = 1;
  send.piece[0] = {1, false, {}};
  EXPECT_NE(text(send).find("msg: [])"), std::string::npos) << text(send);
}

TEST_F(Line, ShowsMessagesWithTheirAddresses) {
  const std::string name("\x10\0\0\0\2\0\0\x35\x7f\0\0\1\0\0\0\0\0\0\0\0", 20), none("\0\0\0\0", 4),
      ab("\2\0\0\0ab\0\0", 8);
  const std::string to_somebody = name + ab, to_nobody = none + ab;
  TracedCall send = call(46, {4, 0x10, 0}, 2);
  send.pieces = 1;
  send.piece[0] = {1, false, bytes(to_somebody)};
  constexpr std::string_view kNamed = R"({ .name: { .family: INET, port: 53, addr: 127.0.0.1 }, .iov: ["ab"] })";
  EXPECT_NE(text(send).find(fmt::format("msg: {})", kNamed)), std::string::npos) << text(send);
  send.piece[0].bytes = send.piece[0].bytes.first(10);  // shorter than its declared length
  EXPECT_NE(text(send).find("msg: { .name: { .family: 2 }, .iov: [] })"), std::string::npos) << text(send);
  TracedCall many = call(307, {4, 0x10, 3}, 2);
  many.pieces = 2;
  many.piece[0] = {1, false, bytes(to_nobody)};
  many.piece[1] = {1, false, bytes(to_somebody)};
  EXPECT_NE(text(many).find(fmt::format(R"(mmsg: [["ab"], {}, ...], vlen: 3))", kNamed)), std::string::npos)
      << text(many);
  many.arguments[2] = 2;
  EXPECT_NE(text(many).find(fmt::format(R"(mmsg: [["ab"], {}], vlen: 2))", kNamed)), std::string::npos) << text(many);
  many.pieces = 0;
  EXPECT_NE(text(many).find("mmsg: 0x10, vlen: 2)"), std::string::npos) << text(many);
}

TEST_F(Line, ShowsStructsAndAddresses) {
  const u64 times[] = {1, 500};
  TracedCall sleep = call(230, {1, 0, 0x10}, 0);
  sleep.pieces = 1;
  sleep.piece[0] = {2, false, std::as_bytes(std::span(times))};
  EXPECT_NE(text(sleep).find("which_clock: MONOTONIC, rqtp: { .tv_sec: 1, .tv_nsec: 500 })"), std::string::npos);
  const unsigned char inet6[28] = {10, 0, 0, 53, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  TracedCall bind = call(49, {4, 0x10, 28}, 0);
  bind.pieces = 1;
  bind.piece[0] = {1, false, std::as_bytes(std::span(inet6))};
  EXPECT_NE(text(bind).find("umyaddr: { .family: INET6, port: 53, addr: ::1 }"), std::string::npos);
  bind.piece[0].bytes = bind.piece[0].bytes.first(1);  // truncated by the caller
  EXPECT_NE(text(bind).find("{ .family: 0 }"), std::string::npos);
}

TEST_F(Line, ShowsSetsOptionsAndLengths) {
  TracedCall exec = call(59, {0x10, 0, 0x7f00}, 0);
  exec.pieces = 1;
  exec.piece[0] = {2, false, bytes(std::string_view("\27\0\0\0", 4))};
  EXPECT_NE(text(exec).find("envp: 0x7f00 /* 23 vars */)"), std::string::npos) << text(exec);
  exec.piece[0] = {2, true, bytes(std::string_view("\0\1\0\0", 4))};
  EXPECT_NE(text(exec).find("envp: 0x7f00 /* 256 vars or more */)"), std::string::npos) << text(exec);
  TracedCall select = call(23, {70, 0x10}, 1);
  select.pieces = 1;
  select.piece[0] = {1, false, bytes(std::string_view("\x69\0\0\0\0\0\0\x80\xff\0\0\0\0\0\0\0", 16))};
  EXPECT_NE(text(select).find("inp: [0, 3, 5, 6, 63-69])"), std::string::npos) << text(select);
  select.piece[0].cut = true;
  select.piece[0].bytes = select.piece[0].bytes.first(1);
  EXPECT_NE(text(select).find("inp: [0, 3, 5, 6, ...])"), std::string::npos) << text(select);
  TracedCall option = call(54, {4, 1, 2, 0x10, 4}, 0);
  option.pieces = 1;
  option.piece[0] = {3, false, bytes(std::string_view("\xfe\xff\xff\xff", 4))};
  EXPECT_NE(text(option).find("optval: [-2], optlen: 4)"), std::string::npos) << text(option);
  option.piece[0].bytes = bytes("lo");
  EXPECT_NE(text(option).find("optval: \"lo\", optlen: 4)"), std::string::npos) << text(option);
}

TEST_F(Line, CommandsSayWhichStructItIs) {
  TracedCall asked = call(16, {1, 0x5413, 0x10}, 0);
  EXPECT_NE(text(asked).find("cmd: TIOCGWINSZ, arg: 16)"), std::string::npos) << text(asked);
  asked.arguments[2] = 0x7f00;
  asked.pieces = 1;
  asked.piece[0] = {2, false, bytes(std::string_view("\30\0\120\0\0\0\0\0 more behind", 20))};
  EXPECT_NE(text(asked).find("arg: { .ws_row: 24, .ws_col: 80, .ws_xpixel: 0, .ws_ypixel: 0 })"), std::string::npos)
      << text(asked);
  asked.result = -25;
  EXPECT_NE(text(asked).find("cmd: TIOCGWINSZ, arg: 0x7f00)"), std::string::npos) << text(asked);
  asked.arguments[1] = 0xc0105512;
  EXPECT_NE(text(asked).find("cmd: (READ|WRITE, 0x55, 0x12, 0x10), arg: 0x7f00)"), std::string::npos) << text(asked);
  TracedCall element = call(321, {1, 0x7f00, 16}, 0);
  element.pieces = 1;
  element.piece[0] = {1, false, bytes(std::string_view("\7\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0", 16))};
  EXPECT_NE(text(element).find("uattr: { .map_fd: 7, .key: 0x100 }, size: 16)"), std::string::npos) << text(element);
}

TEST_F(Line, TellsWhatHasNoBeginOrNoEnd) {
  TracedCall half = call(0, {}, 1);
  half.continued = true;
  EXPECT_EQ(text(half).substr(0, 62), "         ? (         ): prog/7  ... [continued]: read())      ");
  TracedCall exit = call(231, {3}, 0);
  exit.unended = true;
  EXPECT_TRUE(text(exit).starts_with("     0.011 (         ): prog/7 exit_group(error_code: 3)  "));
  EXPECT_TRUE(text(exit).ends_with("= ?\n"));
}

TEST(CallSummary, AddsUpByThread) {
  CallSummary summary(SumBy::Thread);
  for (const u64 time : {1000, 3000}) {
    TracedCall call{.set = abi::SyscallSet::X86_64, .number = 0, .pid = 7, .tid = 7, .duration = time};
    if (time == 3000) call.result = -2;
    summary.add(call);
  }
  const auto blocks = summary.blocks();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].events, 4u);
  const CallStats& stats = blocks[0].rows[0].stats;
  EXPECT_EQ(stats.calls, 2u);
  EXPECT_EQ(stats.errors, 1u);
  EXPECT_EQ(stats.least, 1000u);
  EXPECT_EQ(stats.most, 3000u);
  EXPECT_DOUBLE_EQ(stats.average(), 2000);
  EXPECT_DOUBLE_EQ(stats.relative_error(), 50);
  EXPECT_EQ(stats.by_error.at(2), 1u);
}

}  // namespace
}  // namespace peregrine
