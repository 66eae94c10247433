// test: whether this program works here: runs its commands on programs with known behaviour.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/number_list.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "output/sink.h"
#include "output/text/system/junit_page.h"
#include "output/text_file.h"
#include "session/self_test/self_tests.h"
#include "session/self_test/test_runs.h"
#include "trial/test_workload.h"

namespace peregrine::cmd {

namespace {

struct TestOptions {
  std::string skip, junit, dso;
  int verbose = 0;
  bool one_process = false, workload = false, parallel = false, sequential = false;
};

constexpr std::array kTestOptions{
    Option{.name = "dont-fork",
           .letter = 'F',
           .help = "accepted and ignored: each test runs its commands in separate processes",
           .store = set<&TestOptions::one_process>},
    Option{.name = "dso",
           .value = Value::Required,
           .metavar = "dso",
           .help = "use the symbols of this program or library in the symbol test (default: this program)",
           .store = set<&TestOptions::dso>},
    Option{.name = "junit",
           .letter = 'j',
           .value = Value::Sticky,
           .metavar = "file",
           .help = "also write the results as JUnit XML (default: junit.xml)",
           .store = set<&TestOptions::junit>,
           .implied = "junit.xml",
           .since = Since::Ours},
    Option{.name = "parallel",
           .letter = 'p',
           .help = "run one test per CPU in parallel; timing tests may fail on a busy machine",
           .store = set<&TestOptions::parallel>,
           .since = Since::Ours},
    Option{.name = "sequential",
           .letter = 'S',
           .help = "run one test at a time (default)",
           .store = set<&TestOptions::sequential>,
           .since = Since::Ours},
    Option{.name = "skip",
           .letter = 's',
           .value = Value::Required,
           .metavar = "number[,number...]",
           .help = "skip these tests",
           .store = set<&TestOptions::skip>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "show the commands of each test and their output",
           .store = count<&TestOptions::verbose>},
    Option{.name = "workload",
           .letter = 'w',
           .help = "run one of the built-in test programs; without a name: list them",
           .store = set<&TestOptions::workload>,
           .since = Since::Ours},
};
constexpr std::string_view kTestUsage[] = {"[<options>] [list] [<part of a name or number>...]",
                                           "-w <workload> [<amount>]"};
constexpr std::string_view kTestDescription =
    "Tests this program on this machine: runs its commands on small built-in workloads and checks the results. Tests "
    "that the machine, its kernel or your privileges do not allow are skipped, with the reason; `perf check` shows how "
    "to enable them.";
constexpr std::string_view kTestExamples[] = {
    "perf test|run all tests",
    "perf test -v chains|run tests with `chains` in their names, and show their commands",
    "perf test -p -j|run all tests in parallel, with the results in junit.xml",
    "perf record -g -- perf test -w leafloop 2|record a program that spends its time in test_leaf",
};

Result<int> list_workloads(Invocation& call) {
  for (const TestWorkload& workload : test_workloads())
    call.out.format("{:<14} {} (usually {})\n", workload.name, workload.summary, workload.usual);
  return 0;
}

void print_start(const ChosenTest& test, std::size_t width, Sink& out) {
  out.format("{:3}: ", test.number).left(test.entry->name, width).append(':');
  if (test.is_skipped) out.append(" Skip (user override)\n");
}

void print_run(const TestRun& run, bool verbose, Sink& out) {
  const bool ok = run.outcome.kind == TestOutcome::Kind::Ok;
  out.append(ok ? " Ok" : run.outcome.kind == TestOutcome::Kind::Skipped ? " Skip" : " FAILED!");
  if (!ok) out.format(" ({})", run.outcome.reason);
  out.append('\n');
  if (verbose) out.append(run.log);
}

Result<> write_junit(const std::string& path, const std::vector<ChosenTest>& tests, const std::vector<TestRun>& runs,
                     Invocation& call) {
  std::vector<JUnitCase> cases;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const auto outcome = static_cast<JUnitCase::Outcome>(runs[i].outcome.kind);
    cases.push_back({tests[i].entry->name, outcome, runs[i].outcome.reason, runs[i].log, runs[i].seconds});
  }
  return write_whole_file(path, call.out, [&](Sink& out) { print_junit("peregrine", cases, out); });
}

Result<int> test(TestOptions& options, Invocation& call) {
  if (options.workload) {
    if (call.words.empty()) return list_workloads(call);
    PEREGRINE_TRY(run_test_workload(call.words));
    return 0;
  }
  const auto skipped = parse_number_list(options.skip.empty() ? "0" : options.skip);
  if (!skipped)
    return fail(ErrorKind::Usage, "invalid -s '{}': must be a list of numbers, such as 1,3-5", options.skip);
  const bool list = !call.words.empty() && call.words[0] == "list";
  if (list) call.words.erase(call.words.begin());
  const std::vector<ChosenTest> tests = choose_tests(call.words, {skipped->begin(), skipped->end()});
  if (tests.empty())
    return fail(ErrorKind::Usage, "no test matches '{}'; list tests with `test list`", fmt::join(call.words, " "));
  if (list) {
    for (const ChosenTest& test : tests) call.out.format("{:3}: {}\n", test.number, test.entry->name);
    return 0;
  }
  std::size_t width = 0;
  for (const SelfTestEntry& entry : self_tests()) width = std::max(width, entry.name.size());
  const bool parallel = options.parallel && !options.sequential && !options.one_process;
  const TestObserver observer{.on_start = [&](const ChosenTest& test) -> Result<> {
                                print_start(test, width, call.out);
                                return test.is_skipped || parallel ? Result<>() : call.out.flush();
                              },
                              .on_end = [&](const TestRun& run) { print_run(run, options.verbose > 0, call.out); }};
  const auto runs = run_tests(tests, options.dso, parallel, observer);
  if (!runs) return std::unexpected(runs.error());
  if (!options.junit.empty()) PEREGRINE_TRY(write_junit(options.junit, tests, *runs, call));
  const bool failed =
      std::ranges::any_of(*runs, [](const TestRun& run) { return run.outcome.kind == TestOutcome::Kind::Failed; });
  return failed ? 1 : 0;
}

}  // namespace

constinit const Command kTest{.name = "test",
                              .summary = "Test this program",
                              .usage = kTestUsage,
                              .options = kTestOptions,
                              .first_words = [] { return std::vector<std::string_view>{"list"}; },
                              .description = kTestDescription,
                              .examples = kTestExamples,
                              .run = entry<TestOptions, test>};

}  // namespace peregrine::cmd
