#include "trial/numa_memory.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <thread>

#include "trial/stop_watch.h"

namespace peregrine {

namespace {

constexpr int kBindMemory = 2;  // MPOL_BIND
constexpr u64 kWordBytes = sizeof(u64);

struct Cell {
  std::atomic<u64> bytes = 0, rounds = 0, ns = 0;
  std::atomic<int> node = -1;
};

// Shared by all processes; the cells of the tasks follow it in memory.
struct Board {
  std::atomic<unsigned> ready = 0, done = 0;
  std::atomic<bool> begin = false, stop = false, given_up = false;
  std::atomic<u64> perturb = 0;  // how often task 0 had to move to the first CPU
  Cell* cells() { return reinterpret_cast<Cell*>(this + 1); }
};

// Zeroed memory, shared by all processes or private to one, unmapped on destruction.
class Memory {
 public:
  Memory(u64 bytes, bool shared) : bytes_(bytes) {
    if (bytes == 0) return;
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_ANONYMOUS | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
    if (at != MAP_FAILED) at_ = static_cast<u64*>(at);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (at_ != nullptr) ::munmap(at_, bytes_);
  }
  bool missing() const { return bytes_ != 0 && at_ == nullptr; }
  u64* words() const { return at_; }
  u64 bytes() const { return bytes_; }

  void prepare(const NumaPlan& plan) {
    if (at_ == nullptr) return;
    if (plan.huge != 0) ::madvise(at_, bytes_, plan.huge > 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (plan.zero) std::memset(at_, 0, bytes_);
    u64 state = 0x9e3779b97f4a7c15;
    for (u64 i = 0; plan.randomize && i < bytes_ / kWordBytes; ++i)
      at_[i] = state = state * 6364136223846793005 + 1442695;
  }

 private:
  u64* at_ = nullptr;
  u64 bytes_ = 0;
};

void bind_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus)
    if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

void bind_memory_to(int node) {
  unsigned long mask[64] = {};
  if (node < 0 || static_cast<std::size_t>(node) >= sizeof mask * 8) return;
  mask[static_cast<std::size_t>(node) / 64] |= 1ul << (node % 64);
  ::syscall(SYS_set_mempolicy, kBindMemory, mask, sizeof mask * 8);
}

int own_node() {
  unsigned node = 0;
  return ::syscall(SYS_getcpu, nullptr, &node, nullptr) == 0 ? static_cast<int>(node) : -1;
}

// One pass over the memory by one of `count` tasks, each with a different start. Returning the sum keeps the compiler
// from removing the reads.
u64 walk(const NumaPlan& plan, const Memory& memory, unsigned task, unsigned count, u64 sum) {
  const u64 words = memory.bytes() / kWordBytes;
  u64* at = memory.words();
  if (words == 0) return sum;
  if (plan.fill) {
    std::memset(at, 0, memory.bytes());
    return sum;
  }
  const bool writes = plan.writes || !plan.reads;
  const bool reads = plan.reads || !plan.writes;
  u64 place = words * task / std::max(count, 1u), random = sum | 1;
  for (u64 i = 0; i < words; ++i) {
    if (plan.random) {
      random = random >> 1 ^ ((0 - (random & 1)) & 0xd800000000000000);
      place = random % words;
    }
    // Several threads may access the same word; it does not matter which write wins.
    const std::atomic_ref<u64> word(at[place]);
    if (reads) sum += word.load(std::memory_order_relaxed);
    if (writes) word.store(sum + 1, std::memory_order_relaxed);
    if (plan.backwards)
      place = place == 0 ? words - 1 : place - 1;
    else
      place = place + 1 == words ? 0 : place + 1;
  }
  return sum;
}

class Task {
 public:
  Task(const NumaPlan& plan, Board& board, unsigned number) : plan_(plan), board_(board), number_(number) {}

  void run(const Memory& global, const Memory& process, const Memory& locked, std::atomic_flag& lock) {
    if (number_ < plan_.task_cpus.size()) bind_to(plan_.task_cpus[number_]);
    if (number_ < plan_.task_nodes.size()) bind_memory_to(plan_.task_nodes[number_]);
    Memory own(plan_.thread, false);
    own.prepare(plan_);
    if (own.missing()) board_.given_up = true;
    ++board_.ready;
    while (!board_.begin && !board_.given_up) ::usleep(100);
    Cell& cell = board_.cells()[number_];
    const unsigned in_process = number_ % plan_.threads;
    const StopWatch watch;
    u64 sum = number_;
    for (i64 round = 0; (plan_.loops < 0 || round < plan_.loops) && !board_.stop && !board_.given_up; ++round) {
      sum = walk(plan_, global, number_, plan_.tasks(), sum);
      sum = walk(plan_, process, in_process, plan_.threads, sum);
      if (locked.bytes() > 0) {
        while (lock.test_and_set()) ::sched_yield();
        sum = walk(plan_, locked, in_process, plan_.threads, sum);
        lock.clear();
      }
      sum = walk(plan_, own, 0, 1, sum);
      cell.bytes += global.bytes() + process.bytes() + locked.bytes() + own.bytes();
      ++cell.rounds;
      cell.ns = static_cast<u64>(watch.seconds() * 1e9);
      cell.node = own_node();
      if (plan_.pause_us != 0) ::usleep(plan_.pause_us);
      if (number_ == 0) move_about();
    }
    cell.ns = static_cast<u64>(watch.seconds() * 1e9);
    cell.node = own_node();
    ++board_.done;
  }

 private:
  // -x: moves the task to the first CPU for one round and then lets it run anywhere again.
  void move_about() {
    if (away_) bind_to(free_);
    away_ = board_.perturb != perturbed_;
    if (!away_) return;
    perturbed_ = board_.perturb;
    for (int cpu = 0; free_.empty() && cpu < CPU_SETSIZE; ++cpu)
      if (cpu < ::sysconf(_SC_NPROCESSORS_CONF)) free_.push_back(cpu);
    bind_to({0});
  }

  const NumaPlan& plan_;
  Board& board_;
  unsigned number_ = 0;
  u64 perturbed_ = 0;
  bool away_ = false;
  std::vector<int> free_;
};

[[noreturn]] void run_process(const NumaPlan& plan, Board& board, unsigned process, const Memory& global) {
  Memory own(plan.process, false), locked(plan.process_locked, false);
  own.prepare(plan);
  locked.prepare(plan);
  if (own.missing() || locked.missing()) board.given_up = true;
  std::atomic_flag lock;
  std::vector<std::jthread> threads;  // outlives the handler, because the threads end only after given_up is set
  try {
    for (unsigned thread = 0; thread < plan.threads; ++thread) {
      const unsigned number = process * plan.threads + thread;
      threads.emplace_back([&, number] {
        try {
          Task(plan, board, number).run(global, own, locked, lock);
        } catch (const std::exception&) {
          board.given_up = true;
        }
      });
      while (plan.serialize && board.ready <= number && !board.given_up) ::usleep(100);
    }
  } catch (const std::exception&) {
    board.given_up = true;
  }
  threads.clear();
  ::_exit(board.given_up ? 1 : 0);
}

std::vector<NumaTask> tasks_on(Board& board, unsigned count) {
  std::vector<NumaTask> tasks(count);
  for (unsigned i = 0; i < count; ++i) {
    const Cell& cell = board.cells()[i];
    tasks[i] = {static_cast<double>(cell.ns) / 1e9, cell.bytes, cell.rounds, cell.node};
  }
  return tasks;
}

// Returns when time is up, every task has done its share, or the tasks have converged on their nodes.
double watch_over(const NumaPlan& plan, Board& board,
                  const std::function<void(double, const std::vector<NumaTask>&)>& look) {
  const StopWatch watch;
  unsigned looked = 0;
  double converged = -1;
  while (!board.given_up && board.done < plan.tasks() && watch.seconds() < plan.seconds) {
    ::usleep(10'000);
    const auto tasks = tasks_on(board, plan.tasks());
    const bool together = stray_nodes(plan, tasks) == 0;
    if (together && converged < 0) converged = watch.seconds();
    if (!together) converged = -1;
    if (together && plan.until_converged) break;
    if (const auto now = static_cast<unsigned>(watch.seconds()); now > looked) {
      looked = now;
      look(watch.seconds(), tasks);
      if (plan.perturb_seconds != 0 && now % plan.perturb_seconds == 0) ++board.perturb;
    }
  }
  board.stop = true;
  return converged;
}

}  // namespace

Result<NumaResult> run_numa_memory(const NumaPlan& plan, const std::function<void(double)>& started,
                                   const std::function<void(double, const std::vector<NumaTask>&)>& look) {
  const StopWatch startup;
  const Memory shared(sizeof(Board) + plan.tasks() * sizeof(Cell), true);
  Memory global(plan.global, true);
  if (shared.missing() || global.missing()) return fail_errno("cannot allocate the shared memory", ENOMEM);
  auto& board = *new (shared.words()) Board;
  for (unsigned i = 0; i < plan.tasks(); ++i) new (board.cells() + i) Cell;
  if (plan.first_cpu) bind_to({0});
  global.prepare(plan);
  std::vector<pid_t> children;
  for (unsigned process = 0; process < plan.processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) run_process(plan, board, process, global);
    if (child < 0) board.given_up = true;
    if (child > 0) children.push_back(child);
    while (plan.serialize && board.ready < (process + 1) * plan.threads && !board.given_up) ::usleep(100);
  }
  while (board.ready < plan.tasks() && !board.given_up) {
    ::usleep(100);
    if (::waitpid(-1, nullptr, WNOHANG) > 0) board.given_up = true;  // a task that ends before the start has failed
  }
  NumaResult result;
  result.startup = startup.seconds();
  if (!board.given_up) {
    started(result.startup);
    board.begin = true;
    result.converged = watch_over(plan, board, look);
  }
  for (const pid_t child : children)
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  if (board.given_up) return fail_errno("cannot start the tasks, or allocate their memory", ENOMEM);
  result.tasks = tasks_on(board, plan.tasks());
  return result;
}

}  // namespace peregrine
