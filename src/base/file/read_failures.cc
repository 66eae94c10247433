#include "base/file/read_failures.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace peregrine {

bool is_machine_failure(int error_number) {
  constexpr std::array kMachine = {EIO, ENOMEM, EMFILE, ENFILE, EAGAIN, ESTALE, ETIMEDOUT};
  return std::ranges::find(kMachine, error_number) != kMachine.end();
}

void ReadFailures::note(std::string_view path, int error_number) {
  if (!is_machine_failure(error_number)) return;
  const std::scoped_lock lock(mutex_);
  failures_.try_emplace(std::string(path), error_number);
}

std::vector<ReadFailure> ReadFailures::list() const {
  const std::scoped_lock lock(mutex_);
  std::vector<ReadFailure> result;
  for (const auto& [path, error] : failures_) result.push_back({path, error});
  return result;
}

}  // namespace peregrine
