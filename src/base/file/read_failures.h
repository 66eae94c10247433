// ReadFailures: existing files that could not be read due to an I/O error, or a lack of memory or descriptors.
//
// A reader that can do without a file (symbols, source lines) notes the failure here and continues; the command
// reports all failures once. Missing files and denied access do not count. Thread safe.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

// Whether an errno indicates a problem of the machine rather than of the file.
bool is_machine_failure(int error_number);
inline bool is_machine_failure(const Error& error) { return is_machine_failure(error.system_errno); }

struct ReadFailure {
  std::string path;
  int error = 0;  // errno
  friend bool operator==(const ReadFailure&, const ReadFailure&) = default;
};

class ReadFailures {
 public:
  // Keeps the first failure of each path. Ignores errors that are not machine failures.
  void note(std::string_view path, int error_number);
  void note(std::string_view path, const Error& error) { note(path, error.system_errno); }
  // Sorted by path.
  std::vector<ReadFailure> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int, std::less<>> failures_;
};

// For readers with an optional ReadFailures.
template <class Failure>
void note_failure(ReadFailures* failures, std::string_view path, const Failure& failure) {
  if (failures != nullptr) failures->note(path, failure);
}

}  // namespace peregrine
