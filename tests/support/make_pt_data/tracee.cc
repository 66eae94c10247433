#include "support/make_pt_data/tracee.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <fstream>
#include <istream>
#include <sstream>

namespace peregrine::support {
namespace {

constexpr std::uint64_t kPageSize = 4096;

}  // namespace

std::vector<Mapping> executable_mappings(pid_t pid) {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    Mapping mapping;
    std::string permissions;
    char mark = 0;
    words >> std::hex >> mapping.start >> mark >> mapping.end >> permissions >> mapping.offset >> mapping.major >>
        mark >> mapping.minor >> std::dec >> mapping.inode >> std::ws;
    std::getline(words, mapping.file);
    if (permissions.size() < 3 || permissions[2] != 'x' || mapping.file == "[vsyscall]") continue;
    if (mapping.file.empty()) mapping.file = "//anon";
    mappings.push_back(mapping);
  }
  return mappings;
}

X86Branch branch_at(Tracee& tracee, std::uint64_t ip) {
  const auto known = tracee.process->instructions.find(ip);
  if (known != tracee.process->instructions.end()) return known->second;
  std::array<std::uint8_t, 32> code{};
  iovec ours{code.data(), 15};
  const std::uint64_t here = std::min<std::uint64_t>(15, kPageSize - ip % kPageSize);
  std::array<iovec, 2> theirs = {iovec{std::bit_cast<void*>(ip), here},
                                 iovec{std::bit_cast<void*>(ip + here), 15 - here}};
  process_vm_readv(tracee.tid, &ours, 1, theirs.data(), theirs.size(), 0);
  const X86Branch branch = classify_x86(code);
  tracee.process->instructions.emplace(ip, branch);
  return branch;
}

std::uint64_t instruction_pointer(pid_t tid) {
  return static_cast<std::uint64_t>(ptrace(PTRACE_PEEKUSER, tid, offsetof(user_regs_struct, rip), nullptr));
}

bool last_call_maps(pid_t tid) {
  const long call = ptrace(PTRACE_PEEKUSER, tid, offsetof(user_regs_struct, orig_rax), nullptr);
  return call == SYS_mmap || call == SYS_mprotect || call == SYS_mremap || call == SYS_munmap;
}

bool catches_signal(pid_t tid, int signal) {
  std::ifstream status("/proc/" + std::to_string(tid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1;
  }
  return false;
}

std::string comm_of(pid_t tid) {
  std::ifstream file("/proc/" + std::to_string(tid) + "/comm");
  std::string comm;
  std::getline(file, comm);
  return comm;
}

}  // namespace peregrine::support
