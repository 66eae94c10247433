// ReadFailures: existing files that could not be read because of an I/O error, or a lack of memory or descriptors.
//
// A reader that can do without a file (symbols, source lines) notes the failure here and goes on; the command reports
// all of them once. Absent files and denied access do not count. Thread safe.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

// Whether an errno tells of the machine and nothing of the file.
bool is_machine_failure(int error_number);
inline bool is_machine_failure(const Error& error) { return is_machine_failure(error.system_errno); }

struct ReadFailure {
  std::string path;
  int error = 0;  // errno
  friend bool operator==(const ReadFailure&, const ReadFailure&) = default;
};

class ReadFailures {
 public:
  // Keeps the first failure of each path; ignores what is_machine_failure() does not hold for.
  void note(std::string_view path, int error_number);
  void note(std::string_view path, const Error& error) { note(path, error.system_errno); }
  // By path.
  std::vector<ReadFailure> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int, std::less<>> failures_;
};

// For readers whose caller may not want to know.
template <class Failure>
void note_failure(ReadFailures* failures, std::string_view path, const Failure& failure) {
  if (failures != nullptr) failures->note(path, failure);
}

}  // namespace peregrine
