// What Python scripts receive: the arguments of handlers as Python values, and how a run ends.
//
//   EventPlan, ReplaySample ─▶ plug-in ─▶ handler(…) of the script ─▶ its output
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "machine/resolver/resolver.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "support/byte_buffer.h"
#include "support/script_run.h"

namespace peregrine::script {
namespace {

using support::ByteBuffer;
using support::Endian;
using ::testing::HasSubstr;

class PythonScripts : public ScriptsOf {
 protected:
  PythonScripts() : ScriptsOf(Language::Python) {}
};

constexpr const char* kPythonHandler = R"(
def town__knock(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain,
                who, level, pair, door, size):
    print(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain)
    print(repr(who), level, pair, bytes(door), size)
)";

TEST_F(PythonScripts, HandlersGetTheFieldsOfATracepointAsTheirTypes) {
  EXPECT_EQ(knocked(kPythonHandler, knock_record()),
            "town__knock 3 12 345 4711 shell []\n"
            "'ann' -2 [1, 65535] b'\\xde\\x1f' 4000000000\n");
  EXPECT_EQ(last.mistakes, "");
  EXPECT_EQ(last.ended.code, 0);
}

TEST_F(PythonScripts, FieldsAreReadInTheByteOrderOfTheRecording) {
  run.order = ByteOrder::Big;
  EXPECT_THAT(knocked(kPythonHandler, knock_record(Endian::Big)),
              HasSubstr("'ann' -2 [1, 65535] b'\\xde\\x1f' 4000000000\n"));
}

TEST_F(PythonScripts, MayHaveGlobalNamesThatAreNotUtf8) {
  const auto outcome = run.run("globals()['\\ud800'] = 1\ndef trace_begin():\n    print('begin')\n");
  EXPECT_EQ(outcome.text, "begin\n");
  EXPECT_EQ(outcome.mistakes, "");
  EXPECT_TRUE(outcome.started);
}

TEST_F(PythonScripts, FieldsBeyondTheRecordAreEmptyOrZero) {
  std::vector<std::byte> record = knock_record();
  record.resize(17);  // ends within `level`
  EXPECT_THAT(knocked(kPythonHandler, record), HasSubstr("'ann' 0 [] b'' 0\n"));
}

TEST_F(PythonScripts, AFieldThatTheProbeCouldNotFetchIsNone) {
  EventPlan plan = knock_plan();
  plan.fields = {{.name = "size", .offset = 8, .size = 4, .mask_offset = 16, .mask_bit = 1}};
  ByteBuffer record;
  record.zeros(8).put32(0xdead).zeros(4).put64(2);
  Taken taken;
  taken.sample.raw = record.bytes();
  EXPECT_EQ(said("def town__knock(n, x, cpu, s, ns, pid, comm, chain, size):\n    print(size)\n", plan, taken),
            "None\n");
}

TEST_F(PythonScripts, AHandlerOfAnotherKernelGetsItsArgumentsByName) {
  const std::string text = knocked(R"(
def town__knock(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain,
                size, success, who):
    print(size, success, who)
)",
                                   knock_record());
  EXPECT_EQ(text, "4000000000 None ann\n") << "a field that this kernel lacks is None";
}

TEST_F(PythonScripts, OldHandlersWithoutCallchainGetOneArgumentLess) {
  EXPECT_EQ(knocked("def town__knock(n, x, cpu, s, ns, pid, comm, who, level, pair, door, size):\n"
                    "    print(comm, who, size)\n",
                    knock_record()),
            "shell ann 4000000000\n");
}

TEST_F(PythonScripts, AMissingTimeAndCpuAreAllOnesAndMinusOne) {
  Taken taken;
  taken.sample.fields = 0;
  const auto record = knock_record();
  taken.sample.raw = record;
  EXPECT_EQ(said("def town__knock(n, x, cpu, s, ns, *rest):\n    print(cpu, s * 1000000000 + ns == 2**64 - 1)\n",
                 knock_plan(), taken),
            "-1 True\n");
}

TEST_F(PythonScripts, TraceUnhandledGetsTheFieldsByName) {
  EXPECT_EQ(knocked("def trace_unhandled(name, context, fields):\n"
                    "    print(name, fields['who'], fields['common_pid'], sorted(fields)[0])\n",
                    knock_record()),
            "town__knock ann 4711 common_callchain\n");
}

TEST_F(PythonScripts, TheContextAnswersOnlyInsideOfAHandler) {
  EXPECT_EQ(knocked(R"(
import perf_trace_context as t
kept = []
def town__knock(name, context, *rest):
    kept.append(context)
    print(t.common_flags(context), t.common_pc(context), t.common_lock_depth(context), t.perf_syscall_name(1))
def trace_end():
    try:
        t.common_pc(kept[0])
    except RuntimeError as error:
        print(error)
)",
                    knock_record()),
            "9 2 0 write\nthere is no current event outside of a handler\n");
}

TEST_F(PythonScripts, TheContextTellsSourceInstructionAndSettings) {
  run.answers.source_answer = {.path = "/src/knock.c", .line = 12, .text = "  knock();"};
  run.answers.instruction_bytes = {std::byte{0x0f}, std::byte{0x05}};
  run.answers.settings["report.percent-limit"] = "5";
  EXPECT_EQ(knocked(R"(
import perf_trace_context as t
def town__knock(name, context, *rest):
    print(t.perf_sample_srcline(context), t.perf_sample_srccode(context), bytes(t.perf_sample_insn(context)))
    print(t.perf_config_get('report.percent-limit'), t.perf_config_get('none.such'))
)",
                    knock_record()),
            "('/src/knock.c', 12) ('/src/knock.c', 12, '  knock();') b'\\x0f\\x05'\n5 None\n");
}

TEST_F(PythonScripts, ProcessEventGetsSamplesOfOtherEventsAsADict) {
  run.answers.code_place = {.address = 0x1010,
                            .dso = "/bin/shell",
                            .build_id = "00ff",
                            .map_start = 0x400000,
                            .map_end = 0x500000,
                            .symbol = SymbolAnswer{.name = "main", .start = 0x1000, .end = 0x1100, .binding = 1}};
  Taken taken;
  taken.sample.period = 250;
  EXPECT_EQ(said(R"(
def process_event(event):
    sample = event['sample']
    print(event['ev_name'], event['comm'], event['dso'], event['symbol'], event['symoff'], event['dso_bid'],
          hex(event['dso_map_start']), len(event['attr']))
    print(sample['pid'], sample['tid'], sample['cpu'], hex(sample['ip']), sample['time'], sample['period'])
    print(sample['values'], 'addr_dso' in sample)
)",
                 cycles_plan(), taken),
            "cycles:u shell /bin/shell main 16 00ff 0x400000 128\n"
            "40 41 3 0x401010 12000000345 250\n"
            "[(0, 0, 0)] False\n");
  EXPECT_EQ(last.mistakes, "");
}

TEST_F(PythonScripts, BranchesAreShownAsNumbersAndAsSymbols) {
  run.answers.places[0x401000] = {.address = 0x1000,
                                  .dso = "/bin/shell",
                                  .symbol = SymbolAnswer{.name = "loop", .start = 0xff0, .end = 0x1100, .binding = 0}};
  const abi::BranchEntry branch{.from = 0x401000, .to = 0x7f0000, .cycles = 7, .predicted = true};
  Taken taken;
  taken.sample.branches = std::span(&branch, 1);
  EXPECT_EQ(said(R"(
def process_event(event):
    for each in event['brstack']:
        print(each['from'] == 0x401000, each['mispred'], each['predicted'], each['cycles'], each['from_dsoname'])
    for each in event['brstacksym']:
        print(each['from'], each['to'], each['pred'], each['in_tx'], each['abort'])
)",
                 cycles_plan(), taken),
            "True False True 7 /bin/shell\nloop+0x10 0x7f0000 P - -\n");
}

// Frames are cached as objects, but a script may keep and change those it received.
TEST_F(PythonScripts, WhatAScriptDoesToAFrameIsNotSeenByTheNextSample) {
  run.answers.frames = {{.ip = 0x401010, .frame = FrameId{0}}};
  run.answers.places_of_frames[0] = {
      .address = 0x1010,
      .dso = "/bin/shell",
      .symbol = SymbolAnswer{.name = "main", .start = 0x1000, .end = 0x1100, .binding = 1}};
  const Taken taken;
  const EventPlan plan = cycles_plan();
  last = run.run(R"(
kept = []
def process_event(event):
    frame = event['callchain'][0]
    print(hex(frame['ip']), frame['sym']['name'], frame['sym_off'], frame['dso'], len(kept))
    frame['sym']['name'] = 'changed'
    frame['dso'] = 'changed'
    kept.append(frame)
)",
                 [&](Interpreter& interpreter) {
                   interpreter.add_event(plan);
                   for (int i = 0; i < 2; ++i) interpreter.sample(taken.replayed());
                 });
  EXPECT_EQ(last.text, "0x401010 main 16 /bin/shell 0\n0x401010 main 16 /bin/shell 1\n") << last.mistakes;
}

TEST_F(PythonScripts, HooksAreKnownByTheNamesThatAScriptDefines) {
  last = run.run("def throttle(*a): pass\ndef stat__cycles_u(*a): pass\n", [](Interpreter& interpreter) {
    const Hooks hooks = interpreter.hooks();
    std::printf("%d %d %d %d %d\n", hooks.throttle, hooks.unthrottle, hooks.context_switch, hooks.auxtrace_error,
                hooks.counts);
  });
  EXPECT_EQ(last.text, "1 0 0 0 1\n");
}

TEST_F(PythonScripts, OtherRecordsReachTheirHooks) {
  last =
      run.run(R"(
def throttle(*a): print('throttle', *a)
def unthrottle(*a): print('unthrottle', *a)
def context_switch(*a): print('switch', *a)
def auxtrace_error(*a): print('error', *a)
def stat__cycles_u(*a): print('counts', *a)
def stat__interval(*a): print('interval', *a)
)",
              [](Interpreter& interpreter) {
                const abi::SampleId place{.fields = abi::sample_bit::Cpu, .pid = 40, .tid = 41, .time = 5, .cpu = 3};
                interpreter.throttle({.time = 5, .id = 6, .stream_id = 7, .throttled = true}, place);
                interpreter.throttle({.time = 8, .id = 6, .stream_id = 7, .throttled = false}, abi::SampleId{});
                interpreter.context_switch({.out = true, .preempt = true}, place);
                interpreter.context_switch({.cpu_wide = true, .next_prev_pid = 50, .next_prev_tid = 51}, place);
                interpreter.auxtrace_error({.type = 1, .code = 2, .cpu = 3, .message = "lost"});
                interpreter.reading(
                    {.event = "cycles:u", .cpu = 0, .thread = 41, .time = 1, .value = 9, .enabled = 10, .running = 11});
                interpreter.interval(1);
              });
  EXPECT_EQ(last.text,
            "throttle 5 6 7 3 40 41\n"
            "unthrottle 8 6 7 -1 0 0\n"
            "switch 5 3 40 41 -1 -1 -1 True True 0 -1\n"
            "switch 5 3 40 41 50 51 -1 False False 0 -1\n"
            "error 1 2 3 0 0 0 0 lost 0 0 0\n"
            "counts 0 41 1 9 10 11\n"
            "interval 1\n")
      << last.mistakes;
}

TEST_F(PythonScripts, NamesOfValuesAreToldBeforeTheFirstEvent) {
  EventPlan plan = knock_plan();
  plan.names = {{.field = "level", .delimiter = "|", .flags = true, .names = {{1, "LOUD"}}},
                {.field = "size", .delimiter = "", .flags = false, .names = {{7, "BIG"}}}};
  last = run.run(R"(
def define_flag_field(*a): print('flag field', *a)
def define_flag_value(*a): print('flag value', *a)
def define_symbolic_field(*a): print('field', *a)
def define_symbolic_value(*a): print('value', *a)
def town__knock(*a): pass
)",
                 [&](Interpreter& interpreter) { interpreter.add_event(plan); });
  EXPECT_EQ(last.text,
            "flag field town__knock level |\nflag value town__knock level 1 LOUD\n"
            "field town__knock size\nvalue town__knock size 7 BIG\n");
}

TEST_F(PythonScripts, ArgumentsAreInSysArgvAndTheFoldersModulesCanBeImported) {
  run.arguments = {"-x", "two words"};
  last = run.run(
      "import sys, os\nprint(sys.argv[1:], os.path.basename(sys.argv[0]), "
      "sys.path[0] == os.path.dirname(os.path.realpath(__file__)))\n");
  EXPECT_EQ(last.text, "['-x', 'two words'] script.py True\n") << last.mistakes;
}

TEST_F(PythonScripts, AScriptThatDoesNotCompileNeverStarts) {
  last = run.run("def broken(:\n");
  EXPECT_TRUE(last.loaded);
  EXPECT_FALSE(last.started);
  EXPECT_TRUE(last.ended.broken_file);
  EXPECT_EQ(last.ended.code, 255);
  EXPECT_THAT(last.mistakes, HasSubstr("SyntaxError"));
}

TEST_F(PythonScripts, AnErrorInAHandlerEndsTheRunAndNamesItsLine) {
  knocked("def town__knock(*a):\n    return missing\n", knock_record());
  EXPECT_EQ(last.ended.code, 134);
  EXPECT_FALSE(last.ended.broken_file);
  EXPECT_THAT(last.mistakes, HasSubstr("line 2"));
  EXPECT_THAT(last.mistakes, HasSubstr("NameError: name 'missing' is not defined"));
}

TEST_F(PythonScripts, ExitEndsTheRunWithItsCode) {
  knocked("import sys\ndef town__knock(*a):\n    sys.exit(3)\n", knock_record());
  EXPECT_EQ(last.ended.code, 3);
  EXPECT_EQ(last.mistakes, "");
  knocked("import sys\ndef town__knock(*a):\n    sys.exit('no door')\n", knock_record());
  EXPECT_EQ(last.ended.code, 1);
  EXPECT_EQ(last.mistakes, "no door\n");
}

TEST_F(PythonScripts, AnInterruptedScriptStillShowsItsResults) {
  EXPECT_EQ(knocked("def town__knock(*a):\n    raise KeyboardInterrupt\ndef trace_end():\n    print('results')\n",
                    knock_record()),
            "results\n");
  EXPECT_TRUE(last.ended.interrupted);
  EXPECT_EQ(last.mistakes, "");
}

TEST_F(PythonScripts, EventsThatNoHandlerTakesAreNotDecoded) {
  const EventPlan knock = knock_plan(), cycles = cycles_plan();
  last = run.run("def town__knock(*a): pass\n", [&](Interpreter& interpreter) {
    std::printf("%d\n", interpreter.add_event(knock));
    std::printf("%d\n", interpreter.add_event(cycles));
  });
  EXPECT_EQ(last.text, "1\n0\n");
}

}  // namespace
}  // namespace peregrine::script
