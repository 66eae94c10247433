// TestRuns: runs the chosen tests of `test`, one by one or in parallel.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/self_test/self_tests.h"

namespace peregrine {

struct ChosenTest {
  std::size_t number = 0;  // from 1
  const SelfTestEntry* entry = nullptr;
  bool is_skipped = false;  // by the user
};

// The tests with a number or part of their name in `words` (all without words), in order. `skipped`: numbers.
std::vector<ChosenTest> choose_tests(const std::vector<std::string>& words, const std::vector<std::size_t>& skipped);

struct TestRun {
  TestOutcome outcome;
  std::string log;  // commands and their output
  double seconds = 0;
};

// Receives the tests in order, on the calling thread.
struct TestObserver {
  std::function<Result<>(const ChosenTest&)> on_start;
  std::function<void(const TestRun&)> on_end;  // not set for skipped tests
};

// `dso`: as in SelfTest. `parallel`: runs as many at once as there are CPUs; the observer is called when all have
// ended. Errors: no temporary folder; those of the observer.
Result<std::vector<TestRun>> run_tests(const std::vector<ChosenTest>& tests, const std::string& dso, bool parallel,
                                       const TestObserver& observer);

}  // namespace peregrine
