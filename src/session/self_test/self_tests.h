// SelfTest: the tests of `test`: they run this program's commands on workloads with known results, covering everything
// from kernel counters to pictures.
//
// Tests that the machine or the user's privileges do not allow are skipped, with the command's error as the reason.
#pragma once
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concurrency/own_process.h"
#include "base/result.h"

namespace peregrine {

struct TestOutcome {
  enum class Kind { Ok, Skipped, Failed } kind = Kind::Ok;
  std::string reason;
};

class SelfTest {
 public:
  // Like run_own(), which unit tests replace.
  using RunCommand = std::function<Result<OwnRun>(std::span<const std::string> arguments, const std::string& folder,
                                                  std::chrono::seconds limit)>;
  // `folder`: for the test's files. `dso`: the file with the symbols to check; empty: this program.
  SelfTest(std::string folder, std::string dso, RunCommand run = run_own)
      : run_(std::move(run)), folder_(std::move(folder)), dso_(std::move(dso)) {}

  // Runs one of our commands. False: it failed, and outcome() is the test's result.
  bool run(std::vector<std::string> arguments);
  const std::string& out() const { return last_.out; }
  const std::string& err() const { return last_.err; }
  std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }
  const std::string& dso() const { return dso_; }
  // Everything that was run and its output.
  const std::string& log() const { return log_; }

  // Skipped if the last command was refused, otherwise failed.
  TestOutcome outcome() const;
  TestOutcome failed(std::string reason) const { return {TestOutcome::Kind::Failed, std::move(reason)}; }
  TestOutcome skipped(std::string reason) const { return {TestOutcome::Kind::Skipped, std::move(reason)}; }

 private:
  RunCommand run_;
  std::string folder_, dso_, log_;
  OwnRun last_;
};

struct SelfTestEntry {
  std::string_view name;
  TestOutcome (*run)(SelfTest& test);
};
// In the order of their numbers, from 1.
std::span<const SelfTestEntry> self_tests();

}  // namespace peregrine
