#include "trial/memory_copy.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "trial/stop_watch.h"

namespace peregrine {
namespace {

// A private mapping with all pages present, so that page faults are not measured.
class Block {
 public:
  explicit Block(u64 bytes) : bytes_(bytes) {
    place_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (*this) ::munmap(place_, bytes_);
  }
  explicit operator bool() const { return place_ != MAP_FAILED; }
  void* place() const { return place_; }

 private:
  u64 bytes_;
  void* place_;
};

// Keeps the compiler from removing writes that nobody reads.
void keep_memory(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

}  // namespace

Result<double> run_memory(MemoryWork work, u64 bytes, u64 loops) {
  const Block from(bytes), to(bytes);
  if (!from || !to) return fail_errno(fmt::format("cannot allocate {} bytes", bytes));
  const auto once = [&](int round) {
    if (work == MemoryWork::Copy)
      std::memcpy(to.place(), from.place(), bytes);
    else
      std::memset(to.place(), round & 0xff, bytes);
    keep_memory(to.place());
  };
  once(0);
  const StopWatch watch;
  for (u64 i = 0; i < loops; ++i) once(static_cast<int>(i & 0xff));
  return static_cast<double>(bytes) * static_cast<double>(loops) / watch.seconds();
}

Result<double> run_mapping(MapWork work, u64 bytes, u64 loops) {
  const auto page = static_cast<u64>(::sysconf(_SC_PAGESIZE));
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (work == MapWork::Populate ? MAP_POPULATE : 0);
  const StopWatch watch;
  for (u64 i = 0; i < loops; ++i) {
    void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (place == MAP_FAILED) return fail_errno(fmt::format("cannot allocate {} bytes", bytes));
    auto* const memory = static_cast<volatile char*>(place);
    if (work == MapWork::Demand)
      for (u64 at = 0; at < bytes; at += page) memory[at] = 1;
    ::munmap(place, bytes);
  }
  return static_cast<double>(bytes) * static_cast<double>(loops) / watch.seconds();
}

}  // namespace peregrine
