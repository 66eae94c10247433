// TemporaryProbes: probes for one recording (`record --probe`): added before it and removed after it, however it ends.
//
// A child process holds their names and waits for a pipe to close, which happens when this object or this program ends,
// even by SIGKILL; then the child removes the probes. If the child is killed too, the ownership
// record tells the next start what to remove (undo_abandoned_probes).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "session/probe/probe_plan.h"
#include "session/probe/probe_request.h"
#include "session/session_listener.h"
#include "sys/kernel/ownership_record.h"
#include "sys/root.h"

namespace peregrine {

class TemporaryProbes {
 public:
  // `command`: the program that will run; its functions are preferred to the kernel's; empty: none.
  static Result<std::unique_ptr<TemporaryProbes>> add(const std::vector<std::string>& definitions,
                                                      const std::string& command, const ProbeHome& home,
                                                      ExistingProbes existing, SessionListener& listener);
  ~TemporaryProbes();
  TemporaryProbes(const TemporaryProbes&) = delete;
  TemporaryProbes& operator=(const TemporaryProbes&) = delete;

  const std::vector<std::string>& events() const { return events_; }  // "probe_prog:work"; without duplicates

 private:
  TemporaryProbes() = default;

  std::vector<std::string> events_;
  std::optional<OwnershipRecord> record_;
  Fd alive_;
  int keeper_ = -1;
};

// What an abandoned record described, and what was done about it.
struct AbandonedProbes {
  std::vector<std::string> removed, refused;  // "probe_prog:work"
};

// Removes the probes of a dead owner that are still as it defined them, and deletes the record unless a removal failed;
// nullopt if the record describes something else.
std::optional<AbandonedProbes> undo_abandoned_probes(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
