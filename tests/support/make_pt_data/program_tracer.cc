#include "support/make_pt_data/program_tracer.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "support/make_pt_data/intel_pt_processor.h"
#include "support/make_pt_data/tracee.h"
#include "support/make_pt_data/x86_branch.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {
namespace {

constexpr int kFirstTid = 4'200'001;  // more than a kernel's largest
constexpr unsigned kKernelTicks = 2000, kSwitchTicks = 4000;
constexpr std::uint16_t kCommExec = 1u << 13, kSwitchOut = 1u << 13, kSwitchOutPreempt = 1u << 14, kUser = 2;
constexpr unsigned kBlockedAfterPolls = 40, kPollMicroseconds = 100;

[[noreturn]] void run_child(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  char path[] = "PATH=/usr/local/bin:/usr/bin:/bin", locale[] = "LC_ALL=C";
  char* environment[] = {path, locale, nullptr};  // the same for all, since programs move between processors
  personality(ADDR_NO_RANDOMIZE);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
  execvpe(words[0], words.data(), environment);
  _exit(127);
}

int event_of(int status) { return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP ? status >> 16 : 0; }

class ProgramTracer {
 public:
  ProgramTracer(Recording& recording, const TraceLimits& limits) : recording_(recording), limits_(limits) {}
  std::string run();

 private:
  std::string launch();
  Tracee& add(pid_t tid, const Tracee* parent, bool is_thread);
  Tracee* next_runnable();
  bool poll(Tracee& tracee, bool wait);
  void run_slice(Tracee& tracee);
  bool step(Tracee& tracee);
  std::optional<int> wait_for_step(Tracee& tracee, bool may_block);
  bool apply(Tracee& tracee, int status, const X86Branch& branch);
  void apply_event(Tracee& tracee, int event);
  void finish_instruction(Tracee& tracee, const X86Branch& branch, std::uint64_t next);
  void switch_in(Tracee& tracee);
  void switch_out(Tracee& tracee, bool preempted);
  void empty_buffer(const Tracee& tracee);
  void tell_switch(ThreadIds from, ThreadIds to, unsigned preempted);
  void end_aux(const Tracee& tracee);
  void tell_start(const Tracee& tracee);
  void tell_exec(Tracee& tracee);
  void tell_mappings(Tracee& tracee);
  void forget(Tracee& tracee);
  void kill_all();
  IntelPtProcessor& processor() { return recording_.processors[cpu_]; }
  void note(std::string name, SideBandEvent event, ThreadIds ids, Fields fields = {}) {
    recording_.add(std::move(name), event, cpu_, ids, std::move(fields));
  }

  Recording& recording_;
  const TraceLimits& limits_;
  std::map<pid_t, Tracee> tracees_;
  std::set<std::pair<int, unsigned>> started_;  // threads and processors that have an itrace_start
  pid_t last_ = 0;                              // that ran
  int next_id_ = kFirstTid;
  unsigned cpu_ = 0;
  std::size_t aux_from_ = 0;  // bytes of this processor's trace reported so far
  std::uint64_t instructions_ = 0;
  bool running_ = false;  // a thread is currently switched in
};

std::string ProgramTracer::run() {
  if (std::string error = launch(); !error.empty()) return error;
  Tracee& first = tracees_.begin()->second;
  recording_.workload = first.ids;
  switch_in(first);
  tell_exec(first);
  run_slice(first);
  while (!tracees_.empty() && instructions_ < limits_.instructions) {
    if (Tracee* tracee = next_runnable()) {
      cpu_ = (cpu_ + 1) % static_cast<unsigned>(recording_.processors.size());
      switch_in(*tracee);
      run_slice(*tracee);
    }
  }
  kill_all();
  return {};
}

std::string ProgramTracer::launch() {
  // On the same processor as the program: each step wakes up the other process, which takes ten times as long across
  // processors.
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<unsigned>(std::max(sched_getcpu(), 0)), &here);
  sched_setaffinity(0, sizeof here, &here);
  const pid_t pid = fork();
  if (pid == 0) run_child(recording_.command);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return "no process to trace";
  long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
  if (recording_.per_cpu) options |= PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  ptrace(PTRACE_SETOPTIONS, pid, nullptr, options);
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  if (waitpid(pid, &status, 0) != pid || event_of(status) != PTRACE_EVENT_EXEC)
    return "cannot start " + recording_.command.front();
  Tracee& tracee = add(pid, nullptr, false);
  tracee.stopped = tracee.steps_nothing = true;
  tracee.ip = instruction_pointer(pid);
  return {};
}

Tracee& ProgramTracer::add(pid_t tid, const Tracee* parent, bool is_thread) {
  Tracee& tracee = tracees_[tid];
  tracee.tid = tid;
  tracee.ids = {next_id_, next_id_};
  ++next_id_;
  tracee.parent = parent ? parent->ids : tracee.ids;
  if (is_thread) {
    tracee.process = parent->process;
    tracee.ids.pid = parent->ids.pid;
  } else {
    tracee.process = parent ? std::make_shared<Process>(*parent->process) : std::make_shared<Process>();
    tracee.process->pid = tid;
  }
  return tracee;
}

// The next runnable thread after the last one. Waits for one if all are blocked.
Tracee* ProgramTracer::next_runnable() {
  std::vector<pid_t> order;
  for (const auto& [tid, tracee] : tracees_) order.push_back(tid);
  std::ranges::rotate(order, std::ranges::upper_bound(order, last_));
  for (const pid_t tid : order) {
    Tracee& tracee = tracees_.at(tid);
    if (tracee.stopped || poll(tracee, false)) return &tracee;
  }
  if (!tracees_.empty()) usleep(kPollMicroseconds);
  return nullptr;
}

// Whether a blocked thread has become runnable again.
bool ProgramTracer::poll(Tracee& tracee, bool wait) {
  int status = 0;
  if (waitpid(tracee.tid, &status, __WALL | (wait ? 0 : WNOHANG)) != tracee.tid) return false;
  return apply(tracee, status, {});
}

void ProgramTracer::run_slice(Tracee& tracee) {
  for (std::uint64_t i = 0;; ++i) {
    if (instructions_ >= limits_.instructions) return;
    const bool others = tracees_.size() > 1 || recording_.processors.size() > 1;
    if (i >= limits_.quantum && others && processor().in_user_code()) return switch_out(tracee, true);
    if (processor().bytes().size() - aux_from_ >= limits_.buffer && processor().in_user_code()) empty_buffer(tracee);
    if (!step(tracee)) return;
  }
}

// False: the thread no longer runs and was switched out.
bool ProgramTracer::step(Tracee& tracee) {
  const X86Branch branch = branch_at(tracee, tracee.ip);
  ptrace(PTRACE_SINGLESTEP, tracee.tid, nullptr, tracee.signal);
  tracee.signal = 0;
  tracee.stopped = false;
  const std::optional<int> status = wait_for_step(tracee, branch.kind == BranchKind::Far && tracees_.size() > 1);
  if (status) return apply(tracee, *status, branch);
  finish_instruction(tracee, branch, 0);
  tracee.in_syscall = true;
  switch_out(tracee, false);
  return false;
}

std::optional<int> ProgramTracer::wait_for_step(Tracee& tracee, bool may_block) {
  int status = 0;
  if (!may_block) {
    waitpid(tracee.tid, &status, __WALL);
    return status;
  }
  for (unsigned i = 0; i < kBlockedAfterPolls; ++i) {
    if (waitpid(tracee.tid, &status, __WALL | WNOHANG) == tracee.tid) return status;
    usleep(kPollMicroseconds);
  }
  return std::nullopt;
}

// Handles a stop. False: the thread is gone.
bool ProgramTracer::apply(Tracee& tracee, int status, const X86Branch& branch) {
  if (!WIFSTOPPED(status)) {
    if (running_ && branch.kind == BranchKind::Far) finish_instruction(tracee, branch, 0);
    forget(tracee);
    return false;
  }
  tracee.stopped = true;
  const std::uint64_t ip = instruction_pointer(tracee.tid);
  if (const int event = event_of(status)) {
    if (running_ && !tracee.in_syscall && !tracee.steps_nothing) finish_instruction(tracee, branch, ip);
    tracee.steps_nothing = true;
    apply_event(tracee, event);
  } else if (WSTOPSIG(status) != SIGTRAP) {
    if (running_) processor().interrupt(ip);
    recording_.clock.ticks += kKernelTicks;
    tracee.signal = WSTOPSIG(status);
    if (tracee.signal == SIGSTOP) tracee.signal = 0;
    tracee.steps_nothing = tracee.signal != 0 && catches_signal(tracee.tid, tracee.signal);
  } else if (tracee.in_syscall || tracee.steps_nothing) {
    tracee.in_syscall = tracee.steps_nothing = false;
  } else if (ip != tracee.ip || !branch.repeats_string) {
    finish_instruction(tracee, branch, ip);
    if (branch.kind == BranchKind::Far && last_call_maps(tracee.tid)) tell_mappings(tracee);
  }
  tracee.ip = ip;
  return true;
}

void ProgramTracer::finish_instruction(Tracee& tracee, const X86Branch& branch, std::uint64_t next) {
  ++instructions_;
  processor().step(tracee.ip, branch, next);
  if (branch.kind == BranchKind::Far) recording_.clock.ticks += kKernelTicks;
}

void ProgramTracer::apply_event(Tracee& tracee, int event) {
  if (event == PTRACE_EVENT_EXEC) return tell_exec(tracee);
  if (event != PTRACE_EVENT_CLONE && event != PTRACE_EVENT_FORK && event != PTRACE_EVENT_VFORK) return;
  unsigned long tid = 0;
  ptrace(PTRACE_GETEVENTMSG, tracee.tid, nullptr, &tid);
  Tracee& child = add(static_cast<pid_t>(tid), &tracee, event == PTRACE_EVENT_CLONE);
  note("fork", SideBandEvent::Dummy, tracee.ids,
       {{"misc", 0}, {"ppid", tracee.ids.pid}, {"ptid", tracee.ids.tid}, {"at", recording_.clock.nanoseconds()}});
  Fields& fields = recording_.side_band.back().fields;
  fields.insert_or_assign("pid", child.ids.pid);
  fields.insert_or_assign("tid", child.ids.tid);
}

void ProgramTracer::tell_start(const Tracee& tracee) {
  const unsigned cpu = recording_.per_cpu ? cpu_ : 0;
  if (started_.emplace(tracee.ids.tid, cpu).second) note("itrace_start", SideBandEvent::IntelPt, tracee.ids);
}

// From one thread to another; 0 is the idle task, which only system-wide observers see.
void ProgramTracer::tell_switch(ThreadIds from, ThreadIds to, unsigned preempted) {
  if (!recording_.per_cpu) return;
  const unsigned out = kSwitchOut | preempted;
  if (recording_.wide_switches) {
    const auto other = [](ThreadIds ids, unsigned misc) {
      return Fields{{"misc", misc}, {"next_prev_pid", ids.pid}, {"next_prev_tid", ids.tid}};
    };
    note("switch_cpu_wide", SideBandEvent::Switches, from, other(to, out));
    recording_.clock.ticks += kTicksPerInstruction;
    note("switch_cpu_wide", SideBandEvent::Switches, to, other(from, 0));
  } else if (from.tid != 0) {
    note("switch", SideBandEvent::Dummy, from, {{"misc", out}});
  } else {
    note("switch", SideBandEvent::Dummy, to);
  }
}

void ProgramTracer::switch_in(Tracee& tracee) {
  recording_.clock.ticks += kSwitchTicks;
  tell_start(tracee);
  recording_.clock.ticks += kKernelTicks;
  tell_switch({}, tracee.ids, 0);
  recording_.clock.ticks += kKernelTicks;
  aux_from_ = processor().bytes().size();
  processor().start(tracee.ids.tid);
  running_ = true;
  last_ = tracee.tid;
}

void ProgramTracer::switch_out(Tracee& tracee, bool preempted) {
  processor().interrupt(tracee.ip);
  running_ = false;
  recording_.clock.ticks += kKernelTicks;
  tell_switch(tracee.ids, {}, preempted ? kSwitchOutPreempt : 0);
  end_aux(tracee);
}

void ProgramTracer::end_aux(const Tracee& tracee) {
  processor().stop();
  recording_.clock.ticks += kKernelTicks;
  const std::size_t size = processor().bytes().size() - aux_from_;
  note("aux", SideBandEvent::IntelPt, tracee.ids, {{"aux_offset", aux_from_}, {"aux_size", size}});
}

// The buffer is full: an interrupt, during which tracing is off. So no packet crosses two buffers.
void ProgramTracer::empty_buffer(const Tracee& tracee) {
  processor().interrupt(tracee.ip);
  recording_.clock.ticks += kKernelTicks;
  end_aux(tracee);
  aux_from_ = processor().bytes().size();
  recording_.filled_at[cpu_].push_back(aux_from_);
  recording_.clock.ticks += kKernelTicks;
  processor().start(tracee.ids.tid);
}

void ProgramTracer::tell_exec(Tracee& tracee) {
  recording_.clock.ticks += kKernelTicks;
  note("comm", SideBandEvent::Dummy, tracee.ids, {{"misc", kCommExec}, {"comm", comm_of(tracee.tid)}});
  tracee.process->mappings.clear();
  tell_mappings(tracee);
  recording_.clock.ticks += kKernelTicks;
}

void ProgramTracer::tell_mappings(Tracee& tracee) {
  tracee.process->instructions.clear();
  std::set<Mapping> mappings;
  for (const Mapping& mapping : executable_mappings(tracee.tid)) {
    mappings.insert(mapping);
    if (tracee.process->mappings.contains(mapping)) continue;
    recording_.clock.ticks += kKernelTicks;
    note("mmap2", SideBandEvent::Dummy, tracee.ids,
         {{"misc", kUser},
          {"addr", mapping.start},
          {"len", mapping.end - mapping.start},
          {"pgoff", mapping.offset},
          {"major", mapping.major},
          {"minor", mapping.minor},
          {"inode", mapping.inode},
          {"prot", 5},
          {"flags", 2},
          {"file", mapping.file}});
  }
  tracee.process->mappings = std::move(mappings);
}

// A thread that has ended. The kernel disables its tracing before it reports that.
void ProgramTracer::forget(Tracee& tracee) {
  if (running_) end_aux(tracee);
  running_ = false;
  recording_.clock.ticks += kKernelTicks;
  note("exit", SideBandEvent::Dummy, tracee.ids,
       {{"ppid", tracee.parent.pid}, {"ptid", tracee.parent.tid}, {"at", recording_.clock.nanoseconds()}});
  tracees_.erase(tracee.tid);
}

void ProgramTracer::kill_all() {
  if (running_) {
    processor().interrupt(tracees_.at(last_).ip);
    recording_.clock.ticks += kKernelTicks;
  }
  for (const auto& [tid, tracee] : tracees_) kill(tracee.process->pid, SIGKILL);
  while (!tracees_.empty()) {
    Tracee& tracee = running_ ? tracees_.at(last_) : tracees_.begin()->second;
    int status = 0;
    waitpid(tracee.tid, &status, __WALL);
    if (!WIFSTOPPED(status)) forget(tracee);
  }
}

}  // namespace

std::string trace_program(Recording& recording, const TraceLimits& limits) {
  return ProgramTracer(recording, limits).run();
}

}  // namespace peregrine::support
