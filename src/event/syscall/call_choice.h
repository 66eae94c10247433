// CallChoice: what -e of trace says of system calls: names, globs, groups, and "!" for all but those.
//
// Groups: file, desc, network, process, signal, memory, ipc, string, clock, creds, with or without "%" or "@".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/syscall/signature.h"

namespace peregrine {

class CallChoice {
 public:
  // Adds what one -e says. Words that are no system calls are left in `others`, in their order.
  // Errors (Usage): "!" before something else than system calls.
  Result<> add(std::string_view words, std::vector<std::string>& others);

  bool any() const { return !names_.empty(); }
  // By number, of one kind of process. Without any choice all are chosen.
  std::vector<bool> chosen(const Signatures& signatures) const;

 private:
  std::vector<std::string> names_;
  bool all_but_ = false;
};

}  // namespace peregrine
