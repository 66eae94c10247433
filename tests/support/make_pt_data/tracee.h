// Tracee: one thread under ptrace. Process: what its threads share.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/make_pt_data/side_band.h"
#include "support/make_pt_data/x86_branch.h"

namespace peregrine::support {

struct Mapping {
  std::uint64_t start = 0, end = 0, offset = 0, inode = 0;
  unsigned major = 0, minor = 0;
  std::string file;
  auto operator<=>(const Mapping&) const = default;
};

struct Process {
  pid_t pid = 0;
  std::set<Mapping> mappings;                                 // executable ones that were told
  std::unordered_map<std::uint64_t, X86Branch> instructions;  // classified ones, by address
};

struct Tracee {
  pid_t tid = 0;
  ThreadIds ids, parent;
  std::shared_ptr<Process> process;
  bool stopped = false;        // it waits for us
  bool in_syscall = false;     // its last step has not ended
  bool steps_nothing = false;  // its next stop is not the end of an instruction
  int signal = 0;              // to deliver with the next step
  std::uint64_t ip = 0;
};

// Executable mappings of a process, but for those of the kernel's own address space.
std::vector<Mapping> executable_mappings(pid_t pid);
// The bytes at `ip`; nothing where there is no memory.
X86Branch branch_at(Tracee& tracee, std::uint64_t ip);
std::uint64_t instruction_pointer(pid_t tid);
// The system call that the thread was in last, at its end.
bool last_call_maps(pid_t tid);
bool catches_signal(pid_t tid, int signal);
std::string comm_of(pid_t tid);

}  // namespace peregrine::support
