// Lets a command run under a seccomp filter whose listener is here, counts its calls in classes, and fails the chosen
// one.
//
//   command ──call──▶ kernel ──notice──▶ supervisor ──▶ go on │ -ERROR │ half of it, done here
//
// All threads and children of the command are under the filter; only calls that the program under test makes through
// libc count (tracee.h). Processes that the command leaves behind become ours, are named and ended.
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
  bool and_later = false;            // the calls after it too
};

struct Outcome {
  std::vector<u64> counts;        // of failures(), how many calls could have failed so
  std::string failed;             // the call that did; empty: none came
  std::vector<std::string> left;  // processes that were still there
  int status = 0;                 // of waitpid
  bool out_of_time = false;
};

struct Order {
  std::vector<std::string> command;
  std::string program;
  Choice choice;
  std::chrono::milliseconds limit{60'000};
  std::chrono::milliseconds grace{3'000};  // for processes that outlive the command on purpose, by a moment
};

Result<Outcome> supervise(const Order& order);

}  // namespace peregrine::failure
