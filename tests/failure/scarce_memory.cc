// operator new that fails once: linked into bin/peregrine_scarce instead of the library's.
//
//   SCARCE_LOG=FILE    writes to FILE the number of the first allocation of each distinct call stack, one per line
//   SCARCE_FAIL=N      the N-th allocation of the process (and of each child) throws std::bad_alloc
//
// Counting starts with main's first allocation or earlier; the numbers of different runs agree as far as the program's
// threads allow.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kStacks = std::size_t{1} << 17;
constexpr unsigned kDepth = 14;

struct Plan {
  std::uint64_t fail = 0;
  int log = -1;
};

struct Ledger {
  std::atomic<std::uint64_t> count{0};
  std::array<std::atomic<std::uint64_t>, kStacks> seen{};
};

// Static and without constructors, because allocations happen before those of main's file.
constinit Ledger ledger;

const Plan& plan() {
  static const Plan made = [] {
    Plan plan;
    if (const char* number = std::getenv("SCARCE_FAIL")) plan.fail = std::strtoull(number, nullptr, 10);
    if (const char* path = std::getenv("SCARCE_LOG"))
      plan.log = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return plan;
  }();
  return made;
}

struct Walk {
  std::uint64_t hash = 0xcbf29ce484222325;
  unsigned depth = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  walk.hash = (walk.hash ^ _Unwind_GetIP(context)) * 0x100000001b3;
  return ++walk.depth < kDepth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void log_new_stack(int log, std::uint64_t number) {
  Walk walk;
  _Unwind_Backtrace(step, &walk);
  const std::uint64_t key = walk.hash | 1;
  for (std::size_t at = key % kStacks;; at = (at + 1) % kStacks) {
    std::uint64_t found = 0;
    if (ledger.seen[at].compare_exchange_strong(found, key)) break;
    if (found == key) return;
  }
  char line[32];
  const int size = std::snprintf(line, sizeof line, "%llu\n", static_cast<unsigned long long>(number));
  if (::write(log, line, static_cast<std::size_t>(size)) < 0) ::_exit(97);
}

void* allocate(std::size_t size, std::size_t alignment) {
  const std::uint64_t number = ++ledger.count;
  const Plan& wanted = plan();
  if (wanted.log >= 0) log_new_stack(wanted.log, number);
  if (number == wanted.fail) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 1) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
