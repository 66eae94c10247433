// Targets on a fake machine: two processes of one user and one of root, on CPUs 0, 1 and 3.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "support/machine.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

class MakeTarget : public ::testing::Test {
 protected:
  MakeTarget() {
    machine_.write("/sys/devices/system/cpu/online = 0-1,3");
    write_process(20, 1000, {20, 22});
    write_process(10, 1000, {10});
    write_process(30, 0, {30, 31});
  }
  void write_process(Pid process, u32 user, std::initializer_list<Pid> threads) {
    for (const Pid thread : threads) {
      const std::string status =
          fmt::format("Name:\\tx\\nTgid:\\t{}\\nPPid:\\t1\\nUid:\\t{}\\t{}\\t{}\\t{}", process, user, user, user, user);
      machine_.write(fmt::format("/proc/{}/status = {}", thread, status));
      machine_.write(fmt::format("/proc/{}/task/{}/status = {}", process, thread, status));
    }
  }
  Target target(const TargetRequest& request) const {
    const auto made = make_target(machine_.root(), request);
    EXPECT_TRUE(made) << made.error().message;
    return made.value_or(Target{});
  }
  Error error(const TargetRequest& request) const {
    const auto made = make_target(machine_.root(), request);
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
  }

  testing::Machine machine_;
};

TEST_F(MakeTarget, IsTheWorkloadUnlessAnythingIsChosen) {
  Target workload = target({});
  EXPECT_EQ(workload.kind, TargetKind::Workload);
  EXPECT_EQ(workload.cpus, (CpuList{0, 1, 3})) << "wherever it runs";
  EXPECT_TRUE(workload.threads.empty());
  EXPECT_FALSE(workload.per_thread);
  workload.set_workload(77);
  EXPECT_EQ(workload.threads, (std::vector<Pid>{77}));
  EXPECT_TRUE(target({.per_thread = true}).per_thread);
}

TEST_F(MakeTarget, ChoosesCpus) {
  const Target everywhere = target({.system_wide = true});
  EXPECT_EQ(everywhere.kind, TargetKind::Cpus);
  EXPECT_EQ(everywhere.cpus, (CpuList{0, 1, 3}));
  EXPECT_EQ(everywhere.threads, (std::vector<Pid>{-1}));
  const Target some = target({.cpus = "3,0"});
  EXPECT_EQ(some.kind, TargetKind::Cpus);
  EXPECT_EQ(some.cpus, (CpuList{0, 3})) << "in order";
  EXPECT_EQ(some.threads, (std::vector<Pid>{-1}));
}

TEST_F(MakeTarget, ChoosesProcessesWithAllTheirThreads) {
  const Target chosen = target({.pids = "30, 20"});
  EXPECT_EQ(chosen.kind, TargetKind::Threads);
  EXPECT_EQ(chosen.threads, (std::vector<Pid>{20, 22, 30, 31}));
  EXPECT_EQ(chosen.processes, (std::vector<Pid>{30, 20})) << "as given";
  EXPECT_EQ(target({.pids = "20,20"}).threads, (std::vector<Pid>{20, 22})) << "each once";
}

TEST_F(MakeTarget, ChoosesThreadsAlone) {
  const Target chosen = target({.tids = "31,22"});
  EXPECT_EQ(chosen.kind, TargetKind::Threads);
  EXPECT_EQ(chosen.threads, (std::vector<Pid>{22, 31}));
  EXPECT_TRUE(chosen.processes.empty()) << "their processes' future threads are not inherited";
}

TEST_F(MakeTarget, ChoosesTheProcessesOfAUser) {
  const Target chosen = target({.user = "1000"});
  EXPECT_EQ(chosen.kind, TargetKind::Threads);
  EXPECT_EQ(chosen.processes, (std::vector<Pid>{10, 20, 22})) << "/proc also has 22, a thread, in this fake";
  EXPECT_EQ(chosen.threads, (std::vector<Pid>{10, 20, 22}));
}

TEST_F(MakeTarget, RejectsWhatDoesNotExist) {
  struct Case {
    TargetRequest request;
    ErrorKind kind;
    const char* message;
  };
  const Case cases[] = {
      {{.cpus = "0,2"}, ErrorKind::NotFound, "CPU 2 is not online"},
      {{.cpus = "0-"}, ErrorKind::Usage, "invalid CPU list: '0-'"},
      {{.pids = "20,99"}, ErrorKind::NotFound, "no process 99"},
      {{.pids = "20,,30"}, ErrorKind::Usage, "Invalid process id \"\""},
      {{.pids = "0"}, ErrorKind::Usage, "Invalid process id \"0\""},
      {{.pids = "-5"}, ErrorKind::Usage, "Invalid process id \"-5\""},
      {{.pids = "20x"}, ErrorKind::Usage, "Invalid process id \"20x\""},
      {{.pids = "4294967316"}, ErrorKind::Usage, "Invalid process id \"4294967316\""},  // 20 modulo 2^32
      {{.tids = "22,99"}, ErrorKind::NotFound, "no thread 99"},
      {{.tids = "me"}, ErrorKind::Usage, "Invalid thread id \"me\""},
      {{.user = "1001"}, ErrorKind::NotFound, "user 1001 has no processes"},
      {{.user = "root"}, ErrorKind::Usage, "Invalid User: root"},
  };
  for (const Case& each : cases) {
    const Error error = this->error(each.request);
    EXPECT_EQ(error.message, each.message);
    EXPECT_EQ(error.kind, each.kind) << each.message;
  }
  EXPECT_EQ(error({.pids = "99"}).system_errno, ESRCH) << "as of a process that ends meanwhile";
}

TEST_F(MakeTarget, ProcessesAreThoseOfTheThreads) {
  const auto processes = [&](const Target& target) { return processes_of(machine_.root(), target); };
  EXPECT_EQ(processes(target({.pids = "30,20"})), (std::vector<Pid>{20, 30})) << "each once, not its threads";
  EXPECT_EQ(processes(target({.tids = "31,22"})), (std::vector<Pid>{20, 30}));
  EXPECT_EQ(processes(target({.user = "1000"})), (std::vector<Pid>{10, 20}));
  EXPECT_EQ(processes(target({.system_wide = true})), all_processes(machine_.root()));
  Target workload = target({});
  EXPECT_TRUE(processes(workload).empty());
  workload.set_workload(10);
  EXPECT_EQ(processes(workload), (std::vector<Pid>{10}));
  workload.set_workload(99);
  EXPECT_TRUE(processes(workload).empty()) << "it has ended";
}

}  // namespace
}  // namespace peregrine
