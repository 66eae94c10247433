#include "base/guarded.h"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace peregrine {
namespace {

Error out_of_memory(std::string_view more) {
  return Error{
      ErrorKind::System, fmt::format("out of memory{}", more),
      "free memory, or raise the limit (ulimit -v, the cgroup's memory.max); damaged recordings can request any amount",
      ENOMEM};
}

Error described(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) return out_of_memory("");
  // A container was requested to hold more elements than fit in the address space.
  if (dynamic_cast<const std::length_error*>(&thrown) != nullptr)
    return out_of_memory(fmt::format(": a size is too large ({})", thrown.what()));
  if (const auto* system = dynamic_cast<const std::system_error*>(&thrown)) {
    const int number = system->code().value();
    if (number != EAGAIN) return Error{kind_of_errno(number), system->what(), {}, number};
    return Error{ErrorKind::System, fmt::format("cannot start a thread: {}", system->what()),
                 "raise the thread limit: `ulimit -u`, or the cgroup's pids.max", number};
  }
  return Error{ErrorKind::System, fmt::format("unexpected failure: {}", thrown.what()),
               "this is a bug: please report it"};
}

}  // namespace

// Handles caught exceptions, on threads too. If memory is still short, falls back to text that needs no allocation.
Error error_of(const std::exception& thrown) noexcept {
  try {
    return described(thrown);
  } catch (...) {
    constexpr std::string_view kShort = "out of memory";
    static_assert(kShort.size() <= 15, "a std::string must hold it without memory");
    return Error{ErrorKind::System, std::string(kShort), {}, ENOMEM};
  }
}

}  // namespace peregrine
