#include "session/self_test/test_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/concurrency/worker_pool.h"
#include "base/result.h"
#include "base/text/ascii.h"
#include "pipeline/bundle/private_folder.h"

namespace peregrine {

namespace {

bool is_chosen(const SelfTestEntry& test, std::size_t number, const std::vector<std::string>& words) {
  const std::string name = lower_case(test.name);
  return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
           if (word.find_first_not_of("0123456789") == std::string::npos) return word == fmt::format("{}", number);
           return name.find(lower_case(word)) != std::string::npos;
         });
}

TestRun skipped_run() { return {.outcome = {TestOutcome::Kind::Skipped, "user override"}, .log = {}}; }

Result<TestRun> run_one_test(const SelfTestEntry& entry, const std::string& dso) {
  auto folder = PrivateFolder::make("/tmp");
  if (!folder) return std::unexpected(std::move(folder.error()));
  const auto start = std::chrono::steady_clock::now();
  SelfTest test(folder->path(), dso);
  TestOutcome outcome = entry.run(test);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return TestRun{std::move(outcome), test.log(), took.count()};
}

}  // namespace

std::vector<ChosenTest> choose_tests(const std::vector<std::string>& words, const std::vector<std::size_t>& skipped) {
  std::vector<ChosenTest> tests;
  std::size_t number = 0;
  for (const SelfTestEntry& entry : self_tests())
    if (is_chosen(entry, ++number, words))
      tests.push_back({number, &entry, std::ranges::find(skipped, number) != skipped.end()});
  return tests;
}

Result<std::vector<TestRun>> run_tests(const std::vector<ChosenTest>& tests, const std::string& dso, bool parallel,
                                       const TestObserver& observer) {
  std::vector<Result<TestRun>> ahead(parallel ? tests.size() : 0, skipped_run());
  if (parallel) {
    WorkerPool pool;
    pool.run(tests.size(), [&](std::size_t i, unsigned) {
      if (!tests[i].is_skipped) ahead[i] = run_one_test(*tests[i].entry, dso);
    });
  }
  std::vector<TestRun> runs;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (parallel && !ahead[i]) return std::unexpected(std::move(ahead[i].error()));
    PEREGRINE_TRY(observer.on_start(tests[i]));
    if (tests[i].is_skipped) {
      runs.push_back(skipped_run());
      continue;
    }
    auto run = parallel ? std::move(ahead[i]) : run_one_test(*tests[i].entry, dso);
    if (!run) return std::unexpected(std::move(run.error()));
    observer.on_end(*run);
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace peregrine
