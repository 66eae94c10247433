// CallChoice: the system calls selected by trace's -e: names, globs, groups, and "!" for all but those.
//
// Groups: file, desc, network, process, signal, memory, ipc, string, clock, creds, with or without "%" or "@".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/syscall/signature.h"

namespace peregrine {

class CallChoice {
 public:
  // Adds one -e argument. Items that are not system calls go to `others`, in order. Errors (Usage): "!" before such an
  // item.
  Result<> add(std::string_view words, std::vector<std::string>& others);

  // Returns the system call or group that a mistyped word probably means: first those that begin with it.
  static std::optional<std::string> nearest_call(std::string_view word);

  bool any() const { return !names_.empty(); }
  // Indexed by number, for one kind of process. All are chosen if nothing was selected.
  std::vector<bool> chosen(const Signatures& signatures) const;

 private:
  std::vector<std::string> names_;
  bool all_but_ = false;
};

}  // namespace peregrine
