// guarded: runs a function that returns a Result, and turns exceptions into an Error.
//
// Our code does not throw, but memory can run out anywhere, and starting a thread can fail. An exception that leaves a
// thread's function ends the program without a message or clean-up. So each thread runs its work guarded, and the
// program runs each command guarded.
#pragma once
#include <exception>
#include <expected>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace peregrine {

// Returns "out of memory" with advice, or the text of another exception.
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
