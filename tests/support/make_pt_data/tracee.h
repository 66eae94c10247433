// Tracee: one thread under ptrace. Process: the data that its threads share.
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
  std::set<Mapping> mappings;                                 // executable mappings reported so far
  std::unordered_map<std::uint64_t, X86Branch> instructions;  // classified instructions, by address
};

struct Tracee {
  pid_t tid = 0;
  ThreadIds ids, parent;
  std::shared_ptr<Process> process;
  bool stopped = false;        // it is waiting for us
  bool in_syscall = false;     // its last step has not ended yet
  bool steps_nothing = false;  // its next stop is not the end of an instruction
  int signal = 0;              // to deliver with the next step
  std::uint64_t ip = 0;
};

// Executable mappings of a process, except those in the kernel's own address range.
std::vector<Mapping> executable_mappings(pid_t pid);
// The bytes at `ip`; empty if there is no memory.
X86Branch branch_at(Tracee& tracee, std::uint64_t ip);
std::uint64_t instruction_pointer(pid_t tid);
// The thread's last system call, after it has ended.
bool last_call_maps(pid_t tid);
bool catches_signal(pid_t tid, int signal);
std::string comm_of(pid_t tid);

}  // namespace peregrine::support
