// The options of script: which lines are printed, and which files and programs the sandbox must allow.
#include "cmd/script/script_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/test_options.h"
#include "output/sink.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "session/sandbox/reader_sandbox.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ScriptWords = std::vector<std::string>;

ScriptOptions script_by(const ScriptWords& words) {
  auto options = options_of<ScriptOptions>(kScript, words);
  EXPECT_TRUE(options) << options.error().message;
  return options ? std::move(*options) : ScriptOptions();
}
std::string script_refusal(const ScriptWords& words) { return refusal_of<ScriptOptions>(kScript, words); }

bool prints(const ScriptOptions& options, std::string_view field, ScriptType type = ScriptType::Hardware) {
  const auto row = std::ranges::find(kScriptFields, field, &ScriptField::name);
  EXPECT_NE(row, kScriptFields.end()) << field;
  return (options.lines.fields.of(type) >> (row - kScriptFields.begin()) & 1) != 0;
}

TEST(ScriptOptionsTest, FieldsReplaceOrChangeTheUsualOnes) {
  EXPECT_TRUE(prints(script_by({}), "comm"));
  EXPECT_TRUE(prints(script_by({"-F", "time"}), "time"));
  EXPECT_FALSE(prints(script_by({"-F", "time"}), "comm"));
  EXPECT_FALSE(prints(script_by({"-F", "-comm"}), "comm"));
  EXPECT_TRUE(prints(script_by({"-F", "-comm"}), "time"));
  EXPECT_TRUE(prints(script_by({"-F", "+weight"}), "weight"));
  EXPECT_TRUE(prints(script_by({"-F", "+weight"}), "comm"));
}

TEST(ScriptOptionsTest, FieldsMayBeOfOneType) {
  const ScriptOptions options = script_by({"-F", "trace:time"});
  EXPECT_FALSE(prints(options, "comm", ScriptType::Tracepoint));
  EXPECT_TRUE(prints(options, "comm", ScriptType::Hardware));
  EXPECT_NE(script_refusal({"-F", "colour"}), "accepted");
}

TEST(ScriptOptionsTest, AddressesHaveThreeForms) {
  EXPECT_EQ(script_by({}).lines.addresses, ScriptAddresses::AsPerf);
  EXPECT_EQ(script_by({"--addr", "abs"}).lines.addresses, ScriptAddresses::Absolute);
  EXPECT_EQ(script_by({"--addr", "rel"}).lines.addresses, ScriptAddresses::Relative);
  EXPECT_EQ(script_by({"--addr", "both"}).lines.addresses, ScriptAddresses::Both);
  EXPECT_EQ(script_by({"--addr=both", "--no-addr"}).lines.addresses, ScriptAddresses::AsPerf);
  EXPECT_EQ(script_refusal({"--addr", "all"}), "invalid --addr 'all': must be abs, rel or both");
}

TEST(ScriptOptionsTest, CallTracesChooseSamplesAndFields) {
  const ScriptOptions calls = script_by({"--call-trace"});
  ASSERT_TRUE(calls.traces.requested);
  EXPECT_TRUE(calls.traces.requested->calls);
  EXPECT_FALSE(calls.traces.requested->returns);
  EXPECT_EQ(calls.lines.branches, ScriptBranches::Calls);
  EXPECT_TRUE(calls.lines.nanoseconds);
  EXPECT_TRUE(prints(calls, "callindent"));
  EXPECT_FALSE(prints(calls, "ip") || prints(calls, "event"));

  const ScriptOptions both = script_by({"--call-ret-trace"});
  EXPECT_TRUE(both.traces.requested->calls && both.traces.requested->returns);
  EXPECT_EQ(both.lines.branches, ScriptBranches::CallsAndReturns);
  EXPECT_TRUE(prints(both, "flags"));

  const ScriptOptions none = script_by({"--no-call-trace"});
  EXPECT_FALSE(none.traces.requested);
  EXPECT_EQ(none.lines.branches, ScriptBranches::All);
}

TEST(ScriptOptionsTest, InstructionTracesAreBytesOrText) {
  for (const char* bytes : {"--insn-trace", "--insn-trace=raw"}) {
    EXPECT_TRUE(prints(script_by({bytes}), "insn")) << bytes;
    EXPECT_FALSE(prints(script_by({bytes}), "disasm")) << bytes;
  }
  const ScriptOptions text = script_by({"--insn-trace=disasm"});
  EXPECT_TRUE(prints(text, "disasm"));
  EXPECT_FALSE(prints(text, "insn"));
  EXPECT_TRUE(text.traces.requested->instructions);
  EXPECT_EQ(text.traces.requested->period, 0u) << "each instruction";
  EXPECT_EQ(script_refusal({"--insn-trace=hex"}), "invalid --insn-trace 'hex': must be raw or disasm");
}

TEST(ScriptOptionsTest, TracesAreDecodedByLetters) {
  EXPECT_TRUE(script_by({"--itrace=i10us"}).traces.requested->instructions);
  EXPECT_EQ(script_by({"--itrace=i10us"}).traces.requested->period, 10'000u) << "nanoseconds";
  EXPECT_FALSE(script_by({"--no-itrace"}).traces.decode);
  EXPECT_EQ(script_refusal({"--itrace=k"}), "Bad Instruction Tracing options 'k'");
}

TEST(ScriptOptionsTest, EachKindOfRecordHasASwitch) {
  struct Case {
    const char* word;
    bool ShownRecords::* records;
  };
  for (const Case& test : {Case{"--show-mmap-events", &ShownRecords::mmaps},
                           {"--show-task-events", &ShownRecords::tasks},
                           {"--show-switch-events", &ShownRecords::switches},
                           {"--show-lost-events", &ShownRecords::losses},
                           {"--show-namespace-events", &ShownRecords::namespaces},
                           {"--show-cgroup-events", &ShownRecords::cgroups},
                           {"--show-round-events", &ShownRecords::rounds},
                           {"--show-bpf-events", &ShownRecords::bpf},
                           {"--show-text-poke-events", &ShownRecords::text_pokes}}) {
    SCOPED_TRACE(test.word);
    EXPECT_FALSE(script_by({}).lines.records.*test.records);
    EXPECT_TRUE(script_by({test.word}).lines.records.*test.records);
  }
}

TEST(ScriptOptionsTest, DeferredChainsAreShownAloneOnlyAsColumns) {
  EXPECT_FALSE(script_by({}).lines.shows_deferred_chains());
  EXPECT_TRUE(script_by({"--no-merge-callchains"}).lines.shows_deferred_chains());
  EXPECT_FALSE(script_by({"--no-merge-callchains", "-G"}).lines.shows_deferred_chains()) << "chains are hidden";
}

TEST(ScriptOptionsTest, ScriptsKeepTheirArguments) {
  ScriptOptions options;
  const auto parsed = parse_options(kScript.options, kScript.words_at, ScriptWords{"-s", "x.py", "word", "-F", "y"},
                                    &options, kOwner<ScriptOptions>);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(options.script, "x.py");
  EXPECT_EQ(parsed->words, (ScriptWords{"word", "-F", "y"}));
}

// The sandbox's settings for a command line.
ReaderNeeds needs_by(const ScriptWords& words, const ScriptWords& rest = {}) {
  const ScriptOptions options = script_by(words);
  const Config config;
  Messages messages("perf", -1);
  Sink out;
  const Invocation call{.command = kScript,
                        .config = config,
                        .messages = messages,
                        .out = out,
                        .argv = {},
                        .arguments = {},
                        .words = rest};
  return needs_of(options, call);
}
bool writes(const ReaderNeeds& needs, const char* path) { return std::ranges::count(needs.outputs, path) != 0; }

TEST(ScriptNeeds, ProgramsOfUsersNeedToStartOthers) {
  EXPECT_FALSE(needs_by({}).programs);
  for (const ScriptWords& words : {ScriptWords{"-s", "x.py"}, {"--dlfilter", "x.so"}, {"-l"}, {"--list-dlfilters"}})
    EXPECT_TRUE(needs_by(words).programs) << words[0];
  EXPECT_TRUE(needs_by({}, {"failed-syscalls"}).programs) << "a word names a script, which a shell starts";
}

TEST(ScriptNeeds, FilesThatAreWritten) {
  EXPECT_TRUE(writes(needs_by({"-o", "out.txt"}), "out.txt"));
  EXPECT_TRUE(writes(needs_by({"--pair", "a,b", "--heatmap", "map.svg"}), "map.svg"));
  const ReaderNeeds starter = needs_by({"-g", "python"});
  EXPECT_TRUE(writes(starter, "perf-script.py") && writes(starter, "perf-script.pl"));
  EXPECT_TRUE(writes(needs_by({"-i", "dir/x.data", "--per-event-dump"}), "dir/*.dump")) << "beside the recording";
  EXPECT_TRUE(writes(needs_by({"-i", "x.data", "--per-event-dump"}), "*.dump"));
  EXPECT_FALSE(writes(needs_by({"-i", "x.data"}), "*.dump"));
}

TEST(ScriptNames, ARecordingIsReadWithI) {
  const TemporaryFolder folder;
  const std::string file = folder.write("ok.data", "PERFILE2");
  const Called refused = called(kScript, {file});
  EXPECT_EQ(refused.error.kind, ErrorKind::Usage);
  EXPECT_EQ(refused.error.hint, "to read a recording, run: perf script -i " + file);
  EXPECT_EQ(called(kScript, {"report", file}).error.hint, refused.error.hint);
}

TEST(ScriptNeeds, KernelCodeIsReadForInstructions) {
  EXPECT_FALSE(needs_by({}).kernel_code);
  EXPECT_TRUE(needs_by({"--itrace=i"}).kernel_code) << "decoders walk the code";
  EXPECT_TRUE(needs_by({"-F", "+insn"}).kernel_code);
  EXPECT_TRUE(needs_by({"-F", "hw:ip,insn"}).kernel_code) << "of one type of event";
}

}  // namespace
}  // namespace peregrine::cmd
