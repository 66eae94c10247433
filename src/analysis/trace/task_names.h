// TaskNames: the names of threads, from the trace, or from /proc for threads that the trace has not named.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

class TaskNames {
 public:
  explicit TaskNames(bool live) : live_(live) {}
  void set(Pid tid, std::string_view comm) { names_[tid] = comm; }
  bool is_called(Pid tid, std::string_view comm) const {
    const auto found = names_.find(tid);
    return found != names_.end() && found->second == comm;
  }
  // Empty if unknown.
  std::string_view of(Pid tid);

 private:
  bool live_;
  Root root_;
  std::unordered_map<Pid, std::string> names_;
};

}  // namespace peregrine
