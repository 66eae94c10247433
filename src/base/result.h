// Result and Error: how functions report failure.
//
// A fallible function returns Result<T>. An Error has the kind of failure, a message with the place (offset, path,
// option), and a hint on what to do. Bugs are not errors: they abort.
#pragma once
#include <fmt/format.h>

#include <cerrno>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace peregrine {

enum class ErrorKind {
  Usage,        // the command line makes no sense
  NotFound,     // a file, event, symbol or process does not exist
  Denied,       // the kernel or a file's mode forbids it
  Malformed,    // bytes violate their format
  Unsupported,  // valid, but not possible with this build, kernel or machine
  System,       // any other failed system call
};

struct Error {
  ErrorKind kind = ErrorKind::System;
  std::string message;    // what failed and where; no final full stop or newline
  std::string hint = {};  // what to do; empty if there is no useful advice
  int system_errno = 0;   // errno of the failed call, or 0

  Error&& with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
};

template <class T = void>
using Result = std::expected<T, Error>;

// Builds the unexpected value of any Result: fail(kind, "…", args…).
template <class... Args>
std::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{kind, fmt::format(format, std::forward<Args>(args)...)});
}

// Returns the kind that best describes an errno.
ErrorKind kind_of_errno(int error_number);

// Returns "what: No such file or directory" with the kind for errno, which is read at the call.
std::unexpected<Error> fail_errno(std::string_view what, int error_number = errno);

}  // namespace peregrine

// Returns the error of a Result expression from the enclosing function.
#define PEREGRINE_TRY(expression)                                                                           \
  do {                                                                                                      \
    if (auto try_result = (expression); !try_result) return std::unexpected(std::move(try_result.error())); \
  } while (false)
