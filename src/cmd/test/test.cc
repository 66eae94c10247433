// test: whether this program does here what it should: its commands on programs of which it is known what they do.
#include <algorithm>
#include <chrono>

#include "base/concurrency/worker_pool.h"
#include "base/number/number_list.h"
#include "cli/frame/text_file.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/test/self_trials.h"
#include "cmd/test/test_workload.h"
#include "output/text/system/junit_page.h"
#include "pipeline/bundle/private_folder.h"

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
           .help = "accepted: each test runs its commands in separate processes",
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
           .help = "run one of the small test programs; without a name: list them",
           .store = set<&TestOptions::workload>,
           .since = Since::Ours},
};
constexpr std::string_view kTestUsage[] = {"[<options>] [list] [<part of a name or number>...]",
                                           "-w <workload> [<amount>]"};
constexpr std::string_view kTestDescription =
    "Tests this program on this machine: runs its commands on small built-in workloads and compares the results with "
    "known ones. Tests that the machine, its kernel or your privileges do not allow are skipped with the reason; "
    "`perf check` shows how to enable them.";
constexpr std::string_view kTestExamples[] = {
    "perf test|run all tests",
    "perf test -v chains|run tests with `chains` in their names, and show their commands",
    "perf test -p -j|run all tests in parallel, with the results in junit.xml",
    "perf record -g -- perf test -w leafloop 2|record a program that spends its time in test_leaf",
};

bool is_chosen(const SelfTestEntry& test, std::size_t number, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  std::string name(test.name);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::ranges::any_of(words, [&](std::string word) {
    if (word.find_first_not_of("0123456789") == std::string::npos) return word == fmt::format("{}", number);
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return name.find(word) != std::string::npos;
  });
}

Result<int> list_workloads(Invocation& call) {
  for (const TestWorkload& workload : test_workloads())
    call.out.format("{:<14} {} (usually {})\n", workload.name, workload.summary, workload.usual);
  return 0;
}

struct Outcome {
  TestOutcome::Kind kind = TestOutcome::Kind::Ok;
  std::string reason, log;
  double seconds = 0;
};

Result<Outcome> try_one(const SelfTestEntry& entry, const TestOptions& options) {
  auto folder = PrivateFolder::make("/tmp");
  if (!folder) return std::unexpected(std::move(folder.error()));
  const auto start = std::chrono::steady_clock::now();
  SelfTest test(folder->path(), options.dso);
  TestOutcome outcome = entry.run(test);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return Outcome{outcome.kind, std::move(outcome.reason), test.log(), took.count()};
}

// The chosen tests with their numbers, in order.
struct Chosen {
  std::size_t number;
  const SelfTestEntry* entry;
  bool skipped;  // -s
};

void print_start(const Chosen& test, std::size_t width, Sink& out) {
  out.format("{:3}: ", test.number).left(test.entry->name, width).append(':');
  if (test.skipped) out.append(" Skip (user override)\n");
}

void print_outcome(const Outcome& outcome, bool verbose, Sink& out) {
  const bool ok = outcome.kind == TestOutcome::Kind::Ok;
  out.append(ok ? " Ok" : outcome.kind == TestOutcome::Kind::Skipped ? " Skip" : " FAILED!");
  if (!ok) out.format(" ({})", outcome.reason);
  out.append('\n');
  if (verbose) out.append(outcome.log);
}

// One after the other, each with its line while it runs.
Result<std::vector<Outcome>> run_in_order(const std::vector<Chosen>& tests, std::size_t width,
                                          const TestOptions& options, Invocation& call) {
  std::vector<Outcome> outcomes;
  for (const Chosen& test : tests) {
    print_start(test, width, call.out);
    outcomes.push_back({TestOutcome::Kind::Skipped, "user override", {}, 0});
    if (test.skipped) continue;
    PEREGRINE_TRY(call.out.flush());
    auto outcome = try_one(*test.entry, options);
    if (!outcome) return std::unexpected(std::move(outcome.error()));
    print_outcome(*outcome, options.verbose > 0, call.out);
    outcomes.back() = std::move(*outcome);
  }
  return outcomes;
}

// As many at once as there are CPUs; the lines come at the end, in order.
Result<std::vector<Outcome>> run_at_once(const std::vector<Chosen>& tests, std::size_t width,
                                         const TestOptions& options, Invocation& call) {
  std::vector<Result<Outcome>> tried(tests.size(), Outcome{TestOutcome::Kind::Skipped, "user override", {}, 0});
  WorkerPool pool;
  pool.run(tests.size(), [&](std::size_t i, unsigned) {
    if (!tests[i].skipped) tried[i] = try_one(*tests[i].entry, options);
  });
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (!tried[i]) return std::unexpected(std::move(tried[i].error()));
    print_start(tests[i], width, call.out);
    if (!tests[i].skipped) print_outcome(*tried[i], options.verbose > 0, call.out);
    outcomes.push_back(std::move(*tried[i]));
  }
  return outcomes;
}

Result<> write_junit(const std::string& path, const std::vector<Chosen>& tests, const std::vector<Outcome>& outcomes,
                     Invocation& call) {
  std::vector<JUnitCase> cases;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const auto outcome = static_cast<JUnitCase::Outcome>(outcomes[i].kind);
    cases.push_back({tests[i].entry->name, outcome, outcomes[i].reason, outcomes[i].log, outcomes[i].seconds});
  }
  return write_whole_file(path, call.out, [&](Sink& out) { print_junit("peregrine", cases, out); });
}

Result<int> test(TestOptions& options, Invocation& call) {
  if (options.workload) return call.words.empty() ? list_workloads(call) : run_test_workload(call.words);
  const auto skipped = parse_number_list(options.skip.empty() ? "0" : options.skip);
  if (!skipped)
    return fail(ErrorKind::Usage, "-s: invalid list of numbers '{}' (expected something like 1,3-5)", options.skip);
  const bool list = !call.words.empty() && call.words[0] == "list";
  if (list) call.words.erase(call.words.begin());
  std::size_t width = 0, number = 0;
  std::vector<Chosen> tests;
  for (const SelfTestEntry& entry : self_tests()) {
    width = std::max(width, entry.name.size());
    if (is_chosen(entry, ++number, call.words))
      tests.push_back({number, &entry, std::ranges::find(*skipped, number) != skipped->end()});
  }
  if (tests.empty())
    return fail(ErrorKind::Usage, "no test is called '{}': `test list` shows them", fmt::join(call.words, " "));
  if (list) {
    for (const Chosen& test : tests) call.out.format("{:3}: {}\n", test.number, test.entry->name);
    return 0;
  }
  const bool at_once = options.parallel && !options.sequential && !options.one_process;
  const auto outcomes = (at_once ? run_at_once : run_in_order)(tests, width, options, call);
  if (!outcomes) return std::unexpected(outcomes.error());
  if (!options.junit.empty()) PEREGRINE_TRY(write_junit(options.junit, tests, *outcomes, call));
  return std::ranges::find(*outcomes, TestOutcome::Kind::Failed, &Outcome::kind) == outcomes->end() ? 0 : 1;
}

}  // namespace

constinit const Command kTest{.name = "test",
                              .summary = "Test this program",
                              .usage = kTestUsage,
                              .options = kTestOptions,
                              .description = kTestDescription,
                              .examples = kTestExamples,
                              .run = entry<TestOptions, test>};

}  // namespace peregrine::cmd
