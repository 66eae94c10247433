// Result and Error: how a function reports failure.
//
// A fallible function returns Result<T>. An Error has the kind of failure, a message with the place (offset, path,
// option), and a hint that says what to do. Bugs are not errors: they abort.
#pragma once
#include <fmt/format.h>

#include <cerrno>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace peregrine {

enum class ErrorKind {
  Usage,        // the command line asks for something that has no meaning
  NotFound,     // a file, event, symbol or process is not there
  Denied,       // the kernel or a file's mode refuses
  Malformed,    // bytes are not what their format says
  Unsupported,  // meaningful, but this build, kernel or machine cannot
  System,       // any other failed system call
};

struct Error {
  ErrorKind kind = ErrorKind::System;
  std::string message;    // what failed and where; no final full stop, no newline
  std::string hint = {};  // what to do; empty when nothing sensible can be said
  int system_errno = 0;   // errno of the failed call, 0 when none

  Error&& with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
};

template <class T = void>
using Result = std::expected<T, Error>;

// fail(kind, "…", args…) builds the unexpected value of any Result.
template <class... Args>
std::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{kind, fmt::format(format, std::forward<Args>(args)...)});
}

// The kind that best describes an errno value.
ErrorKind kind_of_errno(int error_number);

// "what: No such file or directory", with the kind chosen from errno. Reads errno at the call.
std::unexpected<Error> fail_errno(std::string_view what, int error_number = errno);

}  // namespace peregrine

// Returns the error of a Result expression from the enclosing function.
#define PEREGRINE_TRY(expression)                                                                           \
  do {                                                                                                      \
    if (auto try_result = (expression); !try_result) return std::unexpected(std::move(try_result.error())); \
  } while (false)
