// What Perl scripts receive: the arguments of handlers as Perl values, and how a run ends.
//
//   EventPlan, ReplaySample ─▶ plug-in ─▶ handler(…) of the script ─▶ its output
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "machine/resolver/resolver.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "support/byte_buffer.h"
#include "support/script_run.h"

namespace peregrine::script {
namespace {

using support::Endian;
using ::testing::HasSubstr;

class PerlScripts : public ScriptsOf {
 protected:
  PerlScripts() : ScriptsOf(Language::Perl) {}
};

constexpr const char* kPerlHandler = R"(
package town;
sub knock {
  my ($event_name, $context, $cpu, $secs, $nsecs, $pid, $comm, $callchain, $who, $level, $pair, $door, $size) = @_;
  print "$event_name $cpu $secs $nsecs $pid $comm ", scalar(@$callchain), "\n";
  print "$who $level [@$pair] ", unpack("H*", $door), " $size\n";
}
package main;
)";

TEST_F(PerlScripts, HandlersGetTheFieldsOfATracepointAsTheirTypes) {
  EXPECT_EQ(knocked(kPerlHandler, knock_record()),
            "town::knock 3 12 345 4711 shell 0\nann -2 [1 65535] de1f 4000000000\n");
  EXPECT_EQ(last.mistakes, "");
}

TEST_F(PerlScripts, FieldsAreReadInTheByteOrderOfTheRecording) {
  run.order = ByteOrder::Big;
  EXPECT_THAT(knocked(kPerlHandler, knock_record(Endian::Big)), HasSubstr("ann -2 [1 65535] de1f 4000000000\n"));
}

TEST_F(PerlScripts, FieldsBeyondTheRecordAreEmptyOrZero) {
  std::vector<std::byte> record = knock_record();
  record.resize(17);
  EXPECT_THAT(knocked(kPerlHandler, record), HasSubstr("ann 0 []  0\n"));
}

TEST_F(PerlScripts, ArgumentsKeepTheirValuesAfterTheHandlerReturned) {
  std::vector<std::byte> first = knock_record();
  auto second = first;
  second[8] = std::byte{'e'};
  const EventPlan plan = knock_plan();
  last = run.run(
      "package town;\nour @kept;\nsub knock { push @kept, [@_]; }\npackage main;\n"
      "sub trace_end { print join(' ', map { $_->[8] . '/' . $_->[10][1] } @town::kept), \"\\n\"; }\n",
      [&](Interpreter& interpreter) {
        interpreter.add_event(plan);
        for (const auto* record : {&first, &second}) {
          Taken taken;
          taken.sample.raw = *record;
          interpreter.sample(taken.replayed());
        }
      });
  EXPECT_EQ(last.text, "ann/65535 enn/65535\n") << last.mistakes;
}

TEST_F(PerlScripts, TraceUnhandledIsCalledForEventsWithoutAHandler) {
  EXPECT_EQ(knocked("sub trace_unhandled { print \"$_[0] $_[6]\\n\"; }\n", knock_record()), "town::knock shell\n");
}

TEST_F(PerlScripts, ProcessEventGetsTheSampleAsWords) {
  Taken taken;
  taken.sample.period = 250;
  EXPECT_EQ(
      said(
          "sub process_event {\n"
          "  my ($event, $attr, $sample, $raw) = @_;\n"
          "  my ($ip, $pid, $tid, $time, $addr, $id, $stream, $period) = unpack('QLLQQQQQ', $sample);\n"
          "  printf(\"%x %d %d %d %d %d %s\\n\", $ip, $pid, $tid, $time, $period, length($attr), length($raw // ''));\n"
          "}\n",
          cycles_plan(), taken),
      "401010 40 41 12000000345 250 128 0\n");
}

TEST_F(PerlScripts, ProcessEventGetsTheKernelsUnknownForADataSourceThatIsNotRecorded) {
  EXPECT_EQ(said("sub process_event { printf(\"%x\\n\", (unpack('QLLQQQQQQQQQLLQ', $_[2]))[14]); }\n", cycles_plan(),
                 Taken()),
            "5080021\n");
}

TEST_F(PerlScripts, FramesOfACallchainAreHashes) {
  run.answers.frames = {{.ip = 0x401010, .frame = FrameId{0}}, {.ip = 0x7f00, .frame = FrameId{1}}};
  run.answers.places_of_frames[0] = {
      .address = 0x1010,
      .dso = "/bin/shell",
      .symbol = SymbolAnswer{.name = "main", .start = 0x1000, .end = 0x1100, .binding = 1}};
  const std::string text = knocked(
      "package town;\nsub knock {\n"
      "  for my $f (@{$_[7]}) {\n"
      "    printf(\"%x %s %s\\n\", $f->{ip}, $f->{sym} ? $f->{sym}{name} : '-', "
      "$f->{dso} // '-');\n"
      "  }\n}\npackage main;\n",
      knock_record());
  EXPECT_EQ(text, "401010 main /bin/shell\n7f00 - -\n") << last.mistakes;
}

TEST_F(PerlScripts, WhatAScriptDoesToAFrameIsNotSeenByTheNextSample) {
  run.answers.frames = {{.ip = 0x401010, .frame = FrameId{0}}};
  run.answers.places_of_frames[0] = {
      .address = 0x1010,
      .dso = "/bin/shell",
      .symbol = SymbolAnswer{.name = "main", .start = 0x1000, .end = 0x1100, .binding = 1}};
  const auto record = knock_record();
  const EventPlan plan = knock_plan();
  Taken taken;
  taken.sample.raw = record;
  last = run.run(
      "package town;\nsub knock {\n  my $f = $_[7][0];\n  print \"$f->{sym}{name} $f->{dso}\\n\";\n"
      "  $f->{sym}{name} = 'changed';\n  delete $f->{dso};\n}\npackage main;\n",
      [&](Interpreter& interpreter) {
        interpreter.add_event(plan);
        for (int i = 0; i < 2; ++i) interpreter.sample(taken.replayed());
      });
  EXPECT_EQ(last.text, "main /bin/shell\nmain /bin/shell\n") << last.mistakes;
}

TEST_F(PerlScripts, TheContextAnswersAboutTheEventAtHand) {
  EXPECT_EQ(knocked("package town;\nsub knock {\n"
                    "  print join(' ', Perf::Trace::Context::common_flags($_[1]),\n"
                    "             Perf::Trace::Context::common_pc($_[1]),\n"
                    "             Perf::Trace::Context::syscall_name(1)), \"\\n\";\n}\npackage main;\n",
                    knock_record()),
            "9 2 write\n");
}

TEST_F(PerlScripts, ArgumentsAreInArgv) {
  run.arguments = {"-x", "two words"};
  EXPECT_EQ(run.run("sub trace_begin { print join('|', @ARGV), \"\\n\"; }\n").text, "-x|two words\n");
}

TEST_F(PerlScripts, AScriptThatDoesNotCompileNeverStarts) {
  last = run.run("sub broken {\n");
  EXPECT_FALSE(last.started);
  EXPECT_TRUE(last.ended.broken_file);
  EXPECT_EQ(last.ended.code, 255);
  EXPECT_THAT(last.mistakes, HasSubstr("Missing right curly"));
}

TEST_F(PerlScripts, DieAndExitInAHandlerEndTheRunWithTheirCodes) {
  knocked("package town;\nsub knock { die \"no door\\n\"; }\npackage main;\n", knock_record());
  EXPECT_EQ(last.mistakes, "no door\n");
  EXPECT_NE(last.ended.code, 0);
  knocked("package town;\nsub knock { exit(3); }\npackage main;\n", knock_record());
  EXPECT_EQ(last.ended.code, 3);
  EXPECT_FALSE(last.ended.broken_file);
}

TEST_F(PerlScripts, TraceBeginAndTraceEndEncloseTheEvents) {
  EXPECT_EQ(knocked("sub trace_begin { print \"begin\\n\"; }\nsub trace_end { print \"end\\n\"; }\n"
                    "package town;\nsub knock { print \"knock\\n\"; }\npackage main;\n",
                    knock_record()),
            "begin\nknock\nend\n");
}

}  // namespace
}  // namespace peregrine::script
