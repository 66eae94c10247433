// The supervisor's data about the processes it watches: whether one runs the program under test, and whether a call
// came from the program (through libc) or from its loader or sanitiser. Also reads their memory and copies their
// descriptors.
#pragma once
#include <linux/seccomp.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/types.h"
#include "failure/fail_call/call_table.h"

namespace peregrine::failure {

class Tracees {
 public:
  // `program`: the file to count calls of; calls of other programs that it starts are let through.
  explicit Tracees(const struct stat& program) : program_(program) {}

  // Whether the call is the program's own: its image, called from libc.
  bool owns(const seccomp_notif& call);
  // Whether the call is made by the program: its image, called from libc.
  void forget(pid_t thread) { known_.erase(thread); }

 private:
  struct Image {
    bool is_program = false;
    std::vector<std::pair<u64, u64>> libc;  // executable ranges
  };

  Image look_at(pid_t thread) const;

  struct stat program_;
  std::map<pid_t, Image> known_;
};

// Bytes of a stopped thread's memory; fewer than requested if the memory ends.
std::string read_memory(pid_t thread, u64 address, std::size_t size);
bool write_memory(pid_t thread, u64 address, const std::string& bytes);
// A copy of its descriptor here, sharing offset and flags.
Fd copy_descriptor(pid_t thread, int descriptor);
// Whether this descriptor would not make the calling thread wait.
bool is_nonblocking(pid_t thread, int descriptor);
// "openat /etc/x", "read 5 (/proc/1/maps)".
std::string describe(const Call& call, const seccomp_notif& notice);

}  // namespace peregrine::failure
