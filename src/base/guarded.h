// guarded: runs a function that returns a Result, and turns exceptions into an Error.
//
// Our code does not throw, but memory can run out anywhere, and starting a thread can fail. An exception that leaves a
// thread's function ends the program without a message and without clean-up, so each thread runs its work guarded, and
// so does the program run each command.
#pragma once
#include <exception>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace peregrine {

// "out of memory" with advice; other exceptions with their own text.
Error error_of(const std::exception& thrown) noexcept;

template <class Work>
std::invoke_result_t<Work> guarded(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& thrown) {
    return std::unexpected(error_of(thrown));
  }
}

}  // namespace peregrine
