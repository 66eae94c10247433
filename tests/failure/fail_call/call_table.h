// The system calls that fail_call can fail, in classes, and the possible failures.
//
// A failure is only offered if the kernel could really return it: EAGAIN for reads and writes on non-blocking
// descriptors, ENOSPC for files, short counts where a file or pipe may be split.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace peregrine::failure {

enum class CallClass { Read, Write, Open, Map, Fork, Event, Bpf, Exec, Name, Wait };
inline constexpr std::size_t kCallClasses = 10;

struct Call {
  int number;
  std::string_view name;
  CallClass call_class;
  int descriptor;  // index of the argument that is a file descriptor; -1: none
  int path;        // index of the argument that is a path; -1: none
};

// Error numbers are positive; a short count has a separate number.
inline constexpr int kShortCount = -1;

struct Failure {
  CallClass call_class;
  std::string_view name;
  int error;
};

std::span<const Call> calls();
std::span<const Failure> failures();

std::string_view name_of(CallClass call_class);

}  // namespace peregrine::failure
