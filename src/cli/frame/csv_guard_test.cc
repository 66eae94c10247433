#include "cli/frame/csv_guard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"

namespace peregrine {
namespace {

TEST(CsvGuard, PassesSafeLinesOnAndTheRestAtTheEnd) {
  Sink to;
  auto guard = CsvGuard::start({.separator = ",", .quoted = false}, to);
  ASSERT_TRUE(guard) << guard.error().message;
  const std::string text = "a,=1+1\nrest";
  ASSERT_TRUE(write_all((*guard)->fd(), text.data(), text.size()));
  const auto finished = (*guard)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  guard->reset();
  EXPECT_EQ(to.take(), "a,'=1+1\nrest");
}

// A pipe delivers pieces one after another; searching a line again for each piece would take quadratic time.
TEST(CsvGuard, PassesALongLineOnInTimeProportionalToItsLength) {
  const auto seconds_for = [](std::size_t size) {
    Sink to;
    auto guard = CsvGuard::start({.separator = ",", .quoted = false}, to);
    if (!guard) return -1.0;
    const std::string line(size, 'x');
    const std::clock_t start = std::clock();
    EXPECT_TRUE(write_all((*guard)->fd(), line.data(), line.size()));
    EXPECT_TRUE((*guard)->finish());
    guard->reset();
    EXPECT_EQ(to.take().size(), size);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = std::max(seconds_for(std::size_t{8} << 20), 0.02), large = seconds_for(std::size_t{64} << 20);
  EXPECT_LT(large, small * 24);  // proportional: 8, quadratic: 64
}

// Calls a command with guarded output.
std::string guarded_text(const std::string& separator, std::string_view text) {
  constexpr Command kPrints{.name = "prints", .summary = "prints"};
  const Config config;
  Messages messages("perf", -1);
  Sink out;
  Invocation call{.command = kPrints, .config = config, .messages = messages, .out = out, .argv = {}, .arguments = {}};
  const auto code = guard_cells(separator, call, [&](Invocation& inside) -> Result<int> {
    EXPECT_FALSE(inside.out_is_terminal);
    inside.out.append(text);
    return 5;
  });
  EXPECT_EQ(code, 5);
  return out.take();
}

TEST(CsvGuard, MakesTheCellsOfACommandSafe) {
  EXPECT_EQ(guarded_text(",", "a,=1+1,b\n=x\n"), "a,'=1+1,b\n'=x\n");
  EXPECT_EQ(guarded_text(";", "a,=1;-x\n"), "a,=1;'-x\n") << "only what the separator separates are cells";
  EXPECT_EQ(guarded_text("\\t", "a\t@y\n"), "a\t'@y\n") << "\\t as an option's value is a tab";
  EXPECT_EQ(guarded_text("", "\"=1,2\",b\n"), "\"'=1,2\",b\n") << "no separator means CSV with quotes";
  EXPECT_EQ(guarded_text(",", ""), "");
}

TEST(CsvGuard, KeepsTheErrorOfTheCommand) {
  constexpr Command kFails{.name = "fails", .summary = "fails"};
  const Config config;
  Messages messages("perf", -1);
  Sink out;
  Invocation call{.command = kFails, .config = config, .messages = messages, .out = out, .argv = {}, .arguments = {}};
  const auto code = guard_cells(",", call, [](Invocation& inside) -> Result<int> {
    inside.out.append("half a row");
    return fail(ErrorKind::System, "the disk is full");
  });
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message, "the disk is full");
  EXPECT_EQ(out.take(), "half a row") << "what was written before is passed on";
}

TEST(CsvGuard, LeavesTheSignalMaskAsItWas) {
  Sink to;
  const auto guard = CsvGuard::start({}, to);
  ASSERT_TRUE(guard) << guard.error().message;
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(::sigismember(&mask, SIGTERM), 0);
}

}  // namespace
}  // namespace peregrine
