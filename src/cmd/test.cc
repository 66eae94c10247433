// test: whether this program does here what it should: its commands on programs of which it is known what they do.
#include <algorithm>

#include "cmd/command_table.h"
#include "cmd/recording.h"
#include "cmd/self_trials.h"
#include "cmd/test_workload.h"
#include "pipeline/bundle/private_folder.h"

namespace peregrine::cmd {

namespace {

struct TestOptions {
  std::string skip;
  int verbose = 0;
  bool one_process = false, workload = false;
};
using O = TestOptions;

constexpr std::array kOptions{
    Option{.name = "dont-fork",
           .letter = 'F',
           .help = "accepted: each test runs its commands as processes of their own",
           .store = set<&O::one_process>},
    Option{.name = "skip",
           .letter = 's',
           .value = Value::Required,
           .metavar = "number[,number...]",
           .help = "not these tests",
           .store = set<&O::skip>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "what each test ran, and what that said",
           .store = count<&O::verbose>},
    Option{.name = "workload",
           .letter = 'w',
           .help = "run one of the small programs that the tests measure; without a name: which there are",
           .store = set<&O::workload>,
           .since = Since::Ours},
};
constexpr std::string_view kUsage[] = {"[<options>] [list] [<part of a name or number>...]",
                                       "-w <workload> [<amount>]"};
constexpr std::string_view kDescription =
    "Each test runs commands of this program, on small programs inside it, and compares what comes out with what is "
    "known of them. What this machine, its kernel or your rights do not allow is skipped, with the reason; `perf "
    "check` "
    "says what to do about that.";
constexpr std::string_view kExamples[] = {
    "perf test|all of them",
    "perf test -v chains|those that have `chains` in their names, with all that was run",
    "perf record -g -- perf test -w leafloop 2|a program that is known to spend its time in test_leaf",
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
    call.out.format("{:<10} {} (usually {})\n", workload.name, workload.summary, workload.usual);
  return 0;
}

// False: it failed.
Result<bool> try_one(const SelfTestEntry& entry, bool verbose, Invocation& call) {
  auto folder = PrivateFolder::make("/tmp");
  if (!folder) return std::unexpected(std::move(folder.error()));
  SelfTest test(folder->path());
  const TestOutcome outcome = entry.run(test);
  const bool ok = outcome.kind == TestOutcome::Kind::Ok;
  call.out.append(ok ? " Ok" : outcome.kind == TestOutcome::Kind::Skipped ? " Skip" : " FAILED!");
  if (!ok) call.out.format(" ({})", outcome.reason);
  call.out.append('\n');
  if (verbose) call.out.append(test.log());
  return outcome.kind != TestOutcome::Kind::Failed;
}

Result<int> test(O& options, Invocation& call) {
  if (options.workload) return call.words.empty() ? list_workloads(call) : run_test_workload(call.words);
  const auto skipped = parse_number_list(options.skip.empty() ? "0" : options.skip);
  if (!skipped) return fail(ErrorKind::Usage, "-s: '{}' is no list of numbers (1,3-5)", options.skip);
  const bool list = !call.words.empty() && call.words[0] == "list";
  if (list) call.words.erase(call.words.begin());
  std::size_t width = 0, number = 0;
  for (const SelfTestEntry& entry : self_tests()) width = std::max(width, entry.name.size());
  bool any = false, good = true;
  for (const SelfTestEntry& entry : self_tests()) {
    ++number;
    if (!is_chosen(entry, number, call.words)) continue;
    any = true;
    call.out.format("{:3}: ", number);
    if (list) {
      call.out.append(entry.name).append('\n');
      continue;
    }
    call.out.left(entry.name, width).append(':');
    if (std::ranges::find(*skipped, number) != skipped->end()) {
      call.out.append(" Skip (user override)\n");
      continue;
    }
    PEREGRINE_TRY(call.out.flush());
    const auto passed = try_one(entry, options.verbose > 0, call);
    if (!passed) return std::unexpected(passed.error());
    good = good && *passed;
  }
  if (!any) return fail(ErrorKind::Usage, "no test is called '{}': `test list` shows them", fmt::join(call.words, " "));
  return good ? 0 : 1;
}

}  // namespace

constinit const Command kTest{.name = "test",
                              .summary = "Test this program",
                              .usage = kUsage,
                              .options = kOptions,
                              .description = kDescription,
                              .examples = kExamples,
                              .run = entry<TestOptions, test>};

}  // namespace peregrine::cmd
