// TemporaryProbes: probes for one recording (`record --probe`): added before it, removed after it, whatever ends it.
//
// A child process holds their names and waits for a pipe to close. That happens when this object ends, and when this
// program does, even by SIGKILL; then the child removes the probes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "cmd/command.h"
#include "probe/trace_probe.h"

namespace peregrine::cmd {

class TemporaryProbes {
 public:
  // `command`: the program to be run, whose functions are looked at before the kernel's; empty for none.
  static Result<std::unique_ptr<TemporaryProbes>> add(const std::vector<std::string>& definitions,
                                                      const std::string& command, Invocation& call);
  ~TemporaryProbes();
  TemporaryProbes(const TemporaryProbes&) = delete;
  TemporaryProbes& operator=(const TemporaryProbes&) = delete;

  const std::vector<std::string>& events() const { return events_; }  // "probe_prog:work", each once

 private:
  TemporaryProbes() = default;

  std::vector<std::string> events_;
  Fd alive_;
  int keeper_ = -1;
};

}  // namespace peregrine::cmd
