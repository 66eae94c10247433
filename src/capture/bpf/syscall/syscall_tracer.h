// SyscallTracer: system calls as they happen, by BPF programs: one record for each call, written when it ends, without
// wake-ups; or, summed up inside the kernel, none at all.
//
//   sys_enter ─▶ begin_call: number, time, arguments and what they point at, kept with the thread ─┐
//   sys_exit  ─▶ finish_call: result, filled buffers ──▶ ring ──▶ drain() ──▶ CallReader          ◀┘
//                                                    └─▶ sums ──▶ sums()
//
// For few chosen calls their own tracepoints (syscalls:sys_enter_openat) are used instead, so that the others stay as
// fast as they are; 32-bit processes have none of these, and are traced as above once there is one. Threads are marked
// and followed as perf_event follows them. One thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "capture/target/target.h"
#include "event/syscall/call.h"
#include "sys/process/cgroup.h"

struct syscall_trace;  // the skeleton that bpftool writes
struct bpf_program;
struct ring_buffer;

namespace peregrine {

enum class SumBy { Thread, Total, Cgroup };

struct SyscallTraceOptions {
  bool following = true;                    // the threads that follow() names; else everybody
  bool children = true;                     // and those that they start
  std::vector<bool> chosen, chosen_narrow;  // by number, of 64-bit and of 32-bit processes
  bool writing = true, summing = false;
  SumBy sum_by = SumBy::Thread;
  bool sum_errors = false;  // told apart by errno
  unsigned buffer_bytes = 0;
  bool only_failed = false;
  u64 least_duration = 0;  // ns
  std::optional<u32> user;
  CpuList cpus;  // empty: all
  std::optional<UnifiedCgroup> cgroup;
  std::vector<Pid> excluded;   // besides this process
  std::size_t ring_bytes = 0;  // 0: default
  bool narrow = true;          // 32-bit programs are among the traced from the beginning
  // Where callers stand: so many frames by frame pointers, or registers and so much of the stack. Not both.
  unsigned caller_frames = 0, caller_stack_bytes = 0;
};

struct CallSum {
  Pid tid = 0;
  u64 cgroup = 0;
  abi::SyscallSet set = abi::SyscallSet::Unknown;
  u32 number = 0;
  int error = 0;                                              // errno of all of them
  u64 calls = 0, errors = 0, total = 0, least = 0, most = 0;  // ns
  double squares = 0;                                         // ns²
};

class SyscallTracer {
 public:
  // Errors: why BPF programs cannot do it here.
  static Result<SyscallTracer> open(const Root& root, const SyscallTraceOptions& options);
  SyscallTracer(SyscallTracer&&) noexcept;
  SyscallTracer& operator=(SyscallTracer&&) = delete;
  ~SyscallTracer();

  // `at_exec`: from its next exec on.
  Result<> follow(Pid thread, bool at_exec);
  void start();
  void stop();
  // Whether a 32-bit program began whose first calls were not seen: from now on they are. Errors: they cannot be.
  Result<bool> notice_narrow();
  // Everything that stands in the ring; false: the reader has had enough.
  bool drain(CallReader& reader);
  // Several for one thread and call perhaps, to be added up.
  std::vector<CallSum> sums() const;
  // Calls that no record could be written for, that could not be added up, children that could not be followed.
  u64 lost() const;
  const std::string& means() const { return means_; }

 private:
  struct Destroy {
    void operator()(syscall_trace* skeleton) const;
    void operator()(ring_buffer* ring) const;
  };
  // What the ring is read for.
  struct Delivery {
    CallReader* reader = nullptr;                  // of the drain that goes on
    std::unordered_map<i32, CallerStack> callers;  // by thread: of its call that comes next
  };
  static int deliver(void* delivery, void* data, std::size_t size);
  SyscallTracer();
  void size_maps(const SyscallTraceOptions& options);
  Result<> load(const SyscallTraceOptions& options);
  Result<> attach_to_all();
  Result<> attach(const bpf_program* program);
  Result<> attach_to(const Root& root, const SyscallTraceOptions& options);
  Result<> attach_event(int program, u64 tracepoint);

  std::unique_ptr<syscall_trace, Destroy> skeleton_;
  std::unique_ptr<Delivery> delivery_;  // the ring knows where it is
  std::unique_ptr<ring_buffer, Destroy> ring_;
  std::vector<Fd> links_, events_;
  std::string means_;
  bool sees_narrow_ = true;
};

}  // namespace peregrine
