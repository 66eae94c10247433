// LockChoice: which waits to count, as given in options, and the parsed values: flags of lock types, addresses of
// locks, ids of cgroups. For lock contention, live and from a recording.
#pragma once
#include <string>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/scheduling/lock_watcher.h"

namespace peregrine {

// Comma-separated lists; empty: all.
struct LockChoice {
  std::string types;      // "mutex,rwsem:R"
  std::string locks;      // addresses in hexadecimal, or symbols of the kernel
  std::string cgroups;    // names; live only
  std::string delays;     // "10us@LOCK": delay the next owners of this lock by that time; live only
  bool by_owner = false;  // live only
  u32 most_kinds = 10240;
  std::string kallsyms;  // the symbol list in which locks are looked up; empty: the running kernel's
};

// Errors (Usage): unknown lock types or locks.
Result<> choose_locks(const LockChoice& choice, LockUsage::Request& request);

// Errors (Usage): also unknown cgroups, delays that are too long or name no lock.
Result<LockWatchRequest> watch_request(const LockChoice& choice, LockBy by);

}  // namespace peregrine
