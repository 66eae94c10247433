// Small built-in workloads with known behaviour: `test` measures them, and users can too.
//
//   perf record -g -- perf test -w leafloop
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

struct TestWorkload {
  std::string_view name, summary;
  void (*run)(double amount);
  double usual;  // amount: seconds of processor time, or how often
};
std::span<const TestWorkload> test_workloads();

// Times that the workload "datasym" writes to `test_datum`, and "calls" calls getsid(2).
inline constexpr unsigned kTestTimes = 1000;

// `words`: the name, and an amount. Errors: Usage.
Result<> run_test_workload(std::span<const std::string> words);

}  // namespace peregrine
