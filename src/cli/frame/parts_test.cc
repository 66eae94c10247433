// A command with subcommands:
//
//   demo latency        has its own option
//   demo map            uses the whole screen
//   demo record         runs `recorder` with its options, and has two more
#include "cli/frame/parts.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "cli/help/answer.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "output/sink.h"

namespace peregrine {
namespace {

// Prints the name and the arguments it was called with.
Result<int> print_call(Invocation& call) {
  call.out.append(call.command.name);
  for (const std::string& argument : call.arguments) call.out.append(" ").append(argument);
  return 7;
}

struct RecorderOptions {
  unsigned frequency = 0;
  bool verbose = false;
};
struct OwnOptions {
  std::string side = "both";
  bool cache = true;
};

constexpr Option kRecorderOptions[] = {
    {.name = "freq",
     .letter = 'F',
     .value = Value::Required,
     .help = "rate",
     .store = set<&RecorderOptions::frequency>},
    {.name = "verbose", .letter = 'v', .help = "more", .store = set<&RecorderOptions::verbose>},
    {.name = "side", .letter = 's', .help = "of the recorder", .store = set<&RecorderOptions::verbose>},
};
constexpr Command kRecorder{.name = "recorder",
                            .summary = "records",
                            .options = kRecorderOptions,
                            .words_at = Words::StopAtFirst,
                            .description = "Records.",
                            .run = print_call};
constexpr Option kOwnOptions[] = {
    {.name = "side", .value = Value::Required, .help = "host or guest", .store = set<&OwnOptions::side>},
    {.name = "no-cache", .letter = 'N', .help = "no cache", .store = assign<&OwnOptions::cache, false>},
};
constexpr Option kInputOptions[] = {
    {.name = "input", .letter = 'i', .value = Value::Required, .help = "file", .store = set<&OwnOptions::side>}};
constexpr Command kLatency{.name = "demo latency", .summary = "times", .options = kInputOptions, .run = print_call};
constexpr Command kMap{.name = "demo map",
                       .summary = "places",
                       .options = kInputOptions,
                       .takes_screen = [](const Invocation& call) { return call.arguments.size() == 2; },
                       .run = print_call};
constexpr Command kPartRecord{.name = "demo record",
                              .summary = "records a demo",
                              .options = kOwnOptions,
                              .passes_to = &kRecorder,
                              .run = print_call};
constexpr const Command* kDemoParts[] = {&kLatency, &kMap, &kPartRecord};
constexpr Command kDemo{
    .name = "demo", .summary = "all", .options = kInputOptions, .parts = kDemoParts, .run = run_part};
constexpr const Command* kOnePart[] = {&kLatency};
constexpr Command kLonely{
    .name = "lonely", .summary = "one", .options = kInputOptions, .parts = kOnePart, .run = run_part};

// One call of a command, with its output and messages.
class CalledCommand {
 public:
  CalledCommand(const Command& command, std::vector<std::string> arguments)
      : call_{.command = command,
              .config = config_,
              .messages = messages_,
              .out = out_,
              .argv = {"perf"},
              .arguments = std::move(arguments)} {}
  Invocation& call() { return call_; }
  std::string printed() { return out_.take(); }
  std::string said() const {
    ::lseek(memory_.get(), 0, SEEK_SET);
    return read_all(memory_.get(), "messages").value_or("");
  }

 private:
  Fd memory_{::memfd_create("messages", MFD_CLOEXEC)};
  Messages messages_{"perf", memory_.get()};
  Config config_;
  Sink out_;
  Invocation call_;
};

TEST(Parts, FirstWordNamesThePart) {
  struct Case {
    std::vector<std::string> arguments;
    const char* called;
  };
  for (const Case& test : {
           Case{{"latency"}, "demo latency"},
           Case{{"lat", "-p", "x"}, "demo latency -p x"},
           Case{{"-i", "f", "map", "--all"}, "demo map --input=f --all"},
           Case{{"-if", "map", "-i", "g"}, "demo map --input=f -i g"},
       }) {
    CalledCommand demo(kDemo, test.arguments);
    EXPECT_EQ(run_part(demo.call()), 7);
    EXPECT_EQ(demo.printed(), test.called);
  }
}

TEST(Parts, SayWhichOnesThereAre) {
  struct Case {
    const Command& command;
    std::vector<std::string> arguments;
    const char *message, *hint;
  };
  for (const Case& test : {
           Case{kDemo, {}, "missing subcommand: must be one of latency, map, record", ""},
           Case{kDemo, {"-i", "f"}, "missing subcommand: must be one of latency, map, record", ""},
           Case{kDemo,
                {"latncy"},
                "unknown subcommand 'latncy': must be one of latency, map, record",
                "did you mean 'latency'?"},
           Case{kDemo, {"la"}, "unknown subcommand 'la': must be one of latency, map, record", ""},
           Case{kDemo,
                {"latency2"},
                "unknown subcommand 'latency2': must be one of latency, map, record",
                "did you mean 'latency'?"},
           Case{kLonely, {}, "missing subcommand: must be latency", ""},
           Case{kLonely, {"qqqqqqq"}, "unknown subcommand 'qqqqqqq': must be latency", ""},
           Case{kDemo, {"-q", "map"}, "unknown switch `q'", ""},
       }) {
    CalledCommand demo(test.command, test.arguments);
    const Result<int> code = run_part(demo.call());
    ASSERT_FALSE(code) << test.message;
    EXPECT_EQ(code.error().kind, ErrorKind::Usage);
    EXPECT_EQ(code.error().message, test.message);
    EXPECT_EQ(code.error().hint, test.hint);
    EXPECT_EQ(demo.printed(), "");
  }
}

TEST(Parts, HelpIsTheCommandsOrThatOfAPartThatRunsAnother) {
  CalledCommand demo(kDemo, {"-h"});
  EXPECT_EQ(run_part(demo.call()), kUsageExit);
  EXPECT_TRUE(demo.said().starts_with("\n Usage: perf demo ")) << demo.said();

  CalledCommand part(kDemo, {"record", "-h"});
  EXPECT_EQ(run_part(part.call()), kUsageExit);
  EXPECT_TRUE(part.said().starts_with("\n Usage: perf demo record ")) << part.said();
  EXPECT_TRUE(part.said().contains("--freq") && part.said().contains("host or guest"));
  EXPECT_FALSE(part.said().contains("of the recorder")) << "the part has its own --side";
  EXPECT_EQ(part.printed(), "");

  CalledCommand listed(kDemo, {"record", "--list-opts"});
  EXPECT_EQ(run_part(listed.call()), 0);
  EXPECT_EQ(listed.printed(), "--side --no-cache --freq --verbose \n");

  CalledCommand parts(kDemo, {"--list-cmds"});
  EXPECT_EQ(run_part(parts.call()), 0);
  EXPECT_EQ(parts.printed(), "latency map record \n");

  CalledCommand none(kDemo, {"record", "--list-cmds"});
  EXPECT_EQ(run_part(none.call()), 0);
  EXPECT_EQ(none.printed(), "\n");

  CalledCommand manual(kDemo, {"record", "--help"});
  EXPECT_EQ(run_part(manual.call()), 0);
  EXPECT_TRUE(manual.printed().contains("DESCRIPTION\n       Records.\n")) << "the part has no text of its own";
}

TEST(Parts, HelpBehindTheWorkloadIsTheWorkloads) {
  CalledCommand demo(kDemo, {"record", "ls", "-h"});
  EXPECT_EQ(run_part(demo.call()), 7);
  EXPECT_EQ(demo.printed(), "demo record ls -h");
}

TEST(Parts, OwnOptionsAreTakenAndTheOthersPassedOn) {
  struct Case {
    std::vector<std::string> arguments;
    const char* side;
    bool cache;
    std::vector<std::string> passed;
  };
  for (const Case& test : {
           Case{{}, "both", true, {}},
           Case{{"-F99", "--side", "guest", "-v"}, "guest", true, {"--freq=99", "--verbose"}},
           Case{{"-N", "ls", "--side", "x"}, "both", false, {"--", "ls", "--side", "x"}},
           Case{{"--no-cache", "--cache", "-v"}, "both", true, {"--verbose"}},
           Case{{"--side=guest", "--no-side", "--no-verbose"}, "both", true, {"--no-verbose"}},
           Case{{"-h"}, "both", true, {"-h"}},
       }) {
    CalledCommand part(kPartRecord, test.arguments);
    OwnOptions options;
    const auto passed = take_own_options(part.call(), &options, kOwner<OwnOptions>);
    ASSERT_TRUE(passed) << passed.error().message;
    EXPECT_EQ(*passed, test.passed);
    EXPECT_EQ(options.side, test.side);
    EXPECT_EQ(options.cache, test.cache);
  }
}

TEST(Parts, OptionsOfNeitherCommandAreErrors) {
  OwnOptions options;
  CalledCommand part(kPartRecord, {"--frequ"});
  EXPECT_EQ(take_own_options(part.call(), &options, kOwner<OwnOptions>).error().message, "unknown option `frequ'");
  CalledCommand without(kPartRecord, {"--side"});
  EXPECT_EQ(take_own_options(without.call(), &options, kOwner<OwnOptions>).error().message,
            "option `side' requires a value");
}

// Passed-on arguments parse to the same options as written.
TEST(Parts, PassedOptionsMeanTheSame) {
  CalledCommand part(kPartRecord, {"-vF", "0x10", "--", "ls"});
  OwnOptions own;
  const auto passed = take_own_options(part.call(), &own, kOwner<OwnOptions>);
  ASSERT_TRUE(passed);
  RecorderOptions recorder;
  const auto parsed = parse_options(kRecorderOptions, Words::StopAtFirst, *passed, &recorder, kOwner<RecorderOptions>);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(recorder.verbose);
  EXPECT_EQ(recorder.frequency, 16u);
  EXPECT_EQ(parsed->words, std::vector<std::string>{"ls"});
}

TEST(Parts, APartMayTakeTheScreen) {
  const auto takes = [](std::vector<std::string> arguments) {
    return part_takes_screen(CalledCommand(kDemo, std::move(arguments)).call());
  };
  EXPECT_TRUE(takes({"map", "a", "b"}));
  EXPECT_TRUE(takes({"-i", "f", "map", "a"})) << "options before the part count";
  EXPECT_FALSE(takes({"map"}));
  EXPECT_FALSE(takes({"latency", "a", "b"}));
  EXPECT_FALSE(takes({"nothing"}));
  EXPECT_FALSE(takes({}));
  EXPECT_FALSE(takes({"-h"}));
  EXPECT_FALSE(takes({"--wrong", "map", "a", "b"}));
}

TEST(Parts, TheCalledOneIsFoundBehindOptions) {
  const auto called = [](const Command& command, std::vector<std::string> arguments) {
    const Command* part = called_part(command, arguments);
    return part == nullptr ? std::string_view() : part->name;
  };
  EXPECT_EQ(called(kDemo, {"-i", "map", "latency"}), "demo latency");
  EXPECT_EQ(called(kDemo, {}), "");
  EXPECT_EQ(called(kDemo, {"x"}), "");
  EXPECT_EQ(called(kRecorder, {"map"}), "") << "it has no parts";
}

TEST(Parts, RowsOfSeveralTablesAreJoined) {
  constexpr std::array kFirst{Option{.name = "a"}, Option{.name = "b"}};
  constexpr std::array kSecond{Option{.name = "c"}};
  constexpr auto kAll = joined_rows(kFirst, kSecond);
  ASSERT_EQ(kAll.size(), 3u);
  EXPECT_EQ(kAll[0].name, "a");
  EXPECT_EQ(kAll[2].name, "c");
}

}  // namespace
}  // namespace peregrine
