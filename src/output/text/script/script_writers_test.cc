#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "output/text/script/script_ftrace.h"
#include "output/text/script/script_lttng.h"
#include "output/text/script/script_printer.h"
#include "pipeline/replay/replay.h"
#include "support/byte_buffer.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// "town:knock": a state with names, a long, an array and a string.
class TracedLines : public ::testing::Test {
 protected:
  TracedLines() { knock(0, 0); }
  void knock(u8 flags, u8 depths, i32 state = 2) {
    raw_ = ByteBuffer()
               .put16(77)
               .put(flags, 1)
               .put(depths, 1)
               .zeros(4)
               .put32(static_cast<u32>(state))
               .put16(1)
               .put16(2)
               .put64(0xab)
               .text("a\"b\n")
               .zeros(4)
               .bytes();
    lines.sample.raw = raw_;
  }
  std::string print(std::function<std::unique_ptr<SampleWriter>()> make, bool traced = true, std::size_t samples = 1) {
    lines.options = [&](ScriptPlan& plan) {
      plan.make_writer = make;
      if (!traced) return;
      plan.events[0].bare_name = "town:knock";
      plan.events[0].traced = &format;
      plan.events[0].format = &print_format;
    };
    return lines.print("comm", std::vector(samples, lines.sample));
  }
  std::string ftrace(bool traced = true) {
    return print([] { return std::make_unique<FtraceWriter>(); }, traced);
  }
  std::string lttng(bool traced = true, std::size_t samples = 1) {
    return print([] { return std::make_unique<LttngWriter>(std::nullopt, "host"); }, traced, samples);
  }

  support::SampleLines lines;
  TraceFormat format = *parse_trace_format(
      "town",
      "name: knock\nID: 77\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\n"
      "\tfield:int state;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:short pair[2];\toffset:12;\tsize:4;\tsigned:1;\n"
      "\tfield:unsigned long where;\toffset:16;\tsize:8;\tsigned:0;\n"
      "\tfield:char who[8];\toffset:24;\tsize:8;\tsigned:0;\n\n"
      "print fmt: \"%s by %d\", __print_symbolic(REC->state, {1, \"shut\"}, {2, \"open\"}), REC->pair[1]\n");
  PrintFormat print_format{format, TraceMachine{.order = ByteOrder::Little}};

 private:
  std::vector<std::byte> raw_;
};

TEST_F(TracedLines, FtraceIsTheFormOfTracePipe) {
  EXPECT_THAT(ftrace(), StartsWith("           shell-41      [003] .....    12.000000: knock: open by"));
}

TEST_F(TracedLines, FtraceShowsTheFunctionOfOtherEvents) {
  EXPECT_EQ(ftrace(false), "           shell-41      [003] .....    12.000000: cycles:u: outer+0x10\n");
  lines.sample.ip = 0x700000;
  EXPECT_THAT(ftrace(false), EndsWith(": cycles:u: [unknown]\n"));
  lines.sample.fields = 0;
  EXPECT_THAT(ftrace(false), EndsWith(": cycles:u: \n"));
}

// The letters of Documentation/trace/ftrace.rst: interrupts, need to reschedule, context, and two depths.
TEST_F(TracedLines, FtraceNamesTheStateOfTheCpu) {
  struct Case {
    u8 flags, depths;
    std::string_view letters;
  };
  constexpr u8 kIrqsOff = 1, kLazy = 2, kNeed = 4, kHard = 8, kSoft = 16, kPreempt = 32, kNmi = 64, kBhOff = 128;
  constexpr Case kCases[] = {
      {0, 0, "....."},
      {kIrqsOff, 2, "d..2."},
      {kBhOff, 0x10, "b...1"},
      {kIrqsOff | kBhOff, 0, "D...."},
      {kNeed, 0, ".n..."},
      {kPreempt, 0, ".p..."},
      {kNeed | kPreempt, 0, ".N..."},
      {kLazy, 0, ".l..."},
      {kNeed | kLazy, 0, ".L..."},
      {kPreempt | kLazy, 0, ".b..."},
      {kNeed | kPreempt | kLazy, 0, ".B..."},
      {kHard, 0, "..h.."},
      {kSoft, 0, "..s.."},
      {kHard | kSoft, 0, "..H.."},
      {kNmi, 0, "..z.."},
      {kNmi | kHard, 0xfa, "..Zaf"},
  };
  for (const Case& one : kCases) {
    knock(one.flags, one.depths);
    EXPECT_THAT(ftrace(), HasSubstr(fmt::format("[003] {}    12.", one.letters))) << unsigned{one.flags};
  }
}

TEST_F(TracedLines, LttngHasTheFieldsOfATracepoint) {
  EXPECT_EQ(
      lttng(),
      "[12.000000345] (+?.\?\?\?\?\?\?\?\?\?) host town:knock: { cpu_id = 3 }, { pid = 40, tid = 41, procname = "
      "\"shell\" }, "
      "{ state = ( \"open\" : container = 2 ), pair = [ [0] = 1, [1] = 2 ], where = 0xAB, who = \"a\\\"b\\x0a\" }\n");
}

TEST_F(TracedLines, LttngNamesValuesOnlyIfTheyHaveAName) {
  knock(0, 0, -7);
  EXPECT_THAT(lttng(), HasSubstr("{ state = -7, pair"));
}

TEST_F(TracedLines, LttngHasTheCodeOfOtherEvents) {
  EXPECT_THAT(lttng(false), EndsWith(" }, { perf_ip = 0x401010, perf_symbol = \"outer\", perf_period = 250000 }\n"));
  lines.sample.ip = 0x700000;
  EXPECT_THAT(lttng(false), EndsWith("{ perf_ip = 0x700000, perf_period = 250000 }\n"));
  lines.sample.fields = 0;
  EXPECT_THAT(lttng(false), EndsWith("host cycles:u: { perf_period = 250000 }\n"));
}

TEST_F(TracedLines, LttngHasTheTimeSinceTheSampleBefore) {
  EXPECT_THAT(lttng(true, 2), HasSubstr("}\n[12.000000345] (+0.000000000) host"));
  abi::Sample later = lines.sample, earlier = lines.sample;
  later.time += 1'500'000'007;
  lines.options = [&](ScriptPlan& plan) {
    plan.make_writer = [] { return std::make_unique<LttngWriter>(std::nullopt, "host"); };
  };
  const std::string text = lines.print("comm", {earlier, later, earlier});
  EXPECT_THAT(text, HasSubstr("\n[13.500000352] (+1.500000007) host"));
  EXPECT_THAT(text, HasSubstr("\n[12.000000345] (+0.000000000) host")) << "time does not run backwards";
}

// Slices of a batch are formatted by several workers and must be written in order.
class PrintedSlices : public ::testing::Test {
 protected:
  // Prints a slice with one sample at that time, in seconds.
  void print_slice(u64 slice, unsigned worker) { print_slice(slice, worker, lines.program.resolver); }
  void print_slice(u64 slice, unsigned worker, Resolver& resolver) {
    begin_slice(slice, worker, resolver);
    printer.end_slice(slice, worker);
  }
  void begin_slice(u64 slice, unsigned worker, Resolver& resolver) {
    printer.begin_slice(slice, worker);
    abi::Sample sample = lines.sample;
    sample.time = slice * kSecond;
    printer.sample({.sample = sample,
                    .context = resolver.context(support::ResolvedProgram::kPid, support::ResolvedProgram::kTid, 2),
                    .event = 0,
                    .period = 1,
                    .moment = 2,
                    .file_offset = 0},
                   resolver, worker);
  }
  static std::string expected(u64 slices) {
    std::string text;
    for (u64 slice = 0; slice < slices; ++slice) text += fmt::format("{:5}.000000: \n", slice);
    return text;
  }

  static constexpr u64 kSecond = 1'000'000'000;
  support::SampleLines lines;
  ScriptPlan plan = lines.plan("time");
  data::Evlist evlist = [] {
    data::Evlist events;
    events.add({});
    return events;
  }();
  Sink out;
  ScriptPrinter printer{plan, evlist, out};
};

TEST_F(PrintedSlices, WaitForTheOneThatIsDue) {
  printer.begin(3);
  for (unsigned worker = 0; worker < 3; ++worker) begin_slice(worker, worker, lines.program.resolver);
  printer.end_slice(2, 2);
  EXPECT_EQ(out.text(), "");
  printer.end_slice(0, 0);
  EXPECT_EQ(out.text(), expected(1));
  printer.end_slice(1, 1);
  EXPECT_EQ(out.text(), expected(3)) << "and all that are finished follow";
}

TEST_F(PrintedSlices, DoNotDependOnTheOrderInWhichWorkersFinish) {
  constexpr unsigned kWorkers = 5;
  std::mt19937 random(7);
  printer.begin(kWorkers);
  u64 slice = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<u64, unsigned>> begun;
    for (unsigned worker = 0; worker < kWorkers; ++worker) {
      begin_slice(slice, worker, lines.program.resolver);
      begun.emplace_back(slice++, worker);
    }
    std::ranges::shuffle(begun, random);
    for (const auto& [number, worker] : begun) printer.end_slice(number, worker);
  }
  EXPECT_EQ(out.text(), expected(slice));
}

TEST_F(PrintedSlices, OfThreadsAreWrittenInOrder) {
  constexpr unsigned kWorkers = 4;
  constexpr u64 kSlices = 300;
  printer.begin(kWorkers);
  std::mutex mutex;
  u64 next = 0;
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      Resolver resolver(lines.program.machine);
      for (;;) {
        u64 slice = 0;
        {
          const std::lock_guard lock(mutex);  // slices begin in order
          if (next == kSlices) return;
          slice = next++;
        }
        print_slice(slice, worker, resolver);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(out.text(), expected(kSlices));
}

TEST_F(PrintedSlices, TextOfRecordingsCannotCommandTheTerminalButBytesAreKept) {
  plan.make_writer = [] {
    struct Rude : SampleWriter {
      void put(ScriptText& out, const ScriptEvent&, const ReplaySample&, Resolver&) override {
        out.room(16);
        out.put("\x1b[2J\n");
      }
    };
    return std::make_unique<Rude>();
  };
  printer.begin(1);
  print_slice(0, 0);
  EXPECT_EQ(out.take(), "\\x1b[2J\n");
  printer.write_bytes();
  print_slice(1, 0);
  EXPECT_EQ(out.take(), "\x1b[2J\n");
}

TEST_F(PrintedSlices, SamplesMayGoToTheFileOfTheirEvent) {
  Sink file;
  std::vector<EventText> files;
  files.push_back({.out = file});
  printer.set_event_files(files);
  printer.begin(1);
  print_slice(0, 0);
  print_slice(1, 0);
  EXPECT_EQ(out.text(), "");
  EXPECT_EQ(file.text(), expected(2));
  EXPECT_EQ(files[0].samples, 2u);
}

TEST_F(PrintedSlices, ANewPlanIsTakenBeforeTheNextBatch) {
  printer.begin(1);
  int asked = 0;
  printer.on_new_batch([&] {
    plan = lines.plan(++asked == 1 ? "tid" : "time");
    return true;
  });
  printer.begin_batch();
  print_slice(0, 0);
  printer.begin_batch();
  print_slice(1, 0);
  EXPECT_EQ(out.text(), "   41 \n    1.000000: \n");
}

}  // namespace
}  // namespace peregrine
