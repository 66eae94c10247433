// Runs a command under a seccomp filter with its listener here, counts the command's calls in classes, and fails the
// chosen one.
//
//   command ──call──▶ kernel ──notice──▶ supervisor ──▶ go on │ -ERROR │ half of it, done here
//
// All threads and children of the command are under the filter; only calls that the program under test makes through
// libc count (tracee.h). Processes that the command leaves behind become our children, and are reported and ended.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "failure/fail_call/call_table.h"

namespace peregrine::failure {

struct Choice {
  const Failure* failure = nullptr;  // null: count only
  u64 number = 0;                    // which call, from 1
  bool and_later = false;            // fail later calls too
};

struct Outcome {
  std::vector<u64> counts;        // indexed like failures(): how many calls could have failed this way
  std::string failed;             // the call that failed; empty: none
  std::vector<std::string> left;  // processes that were still running
  int status = 0;                 // of waitpid
  bool out_of_time = false;
};

struct Order {
  std::vector<std::string> command;
  std::string program;
  Choice choice;
  std::chrono::milliseconds limit{60'000};
  std::chrono::milliseconds grace{3'000};  // allows for processes that briefly outlive the command on purpose
};

Result<Outcome> supervise(const Order& order);

}  // namespace peregrine::failure
