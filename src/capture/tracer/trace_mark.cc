#include "capture/tracer/trace_mark.h"

#include <sched.h>

#include <cerrno>
#include <vector>

#include "base/text/trim.h"
#include "base/types.h"
#include "sys/hardware/cpu_mask.h"

namespace peregrine {
namespace {

// Runs this thread on the given CPUs, as far as they fit into a cpu_set_t, until it is destroyed.
class CpuStay {
 public:
  explicit CpuStay(const std::vector<u32>& cpus) {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const u32 cpu : cpus)
      if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
    moved_ = ::sched_setaffinity(0, sizeof set, &set) == 0;
  }
  CpuStay(const CpuStay&) = delete;
  CpuStay& operator=(const CpuStay&) = delete;
  ~CpuStay() {
    if (moved_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

}  // namespace

Result<> write_mark(const TraceFolder& folder, std::string_view text) {
  auto done = folder.add_once("trace_marker", text);
  if (done || done.error().system_errno != EBADF) return done;
  const auto mask = folder.read("tracing_cpumask");
  if (!mask) return done;
  const CpuStay stay(cpus_of_mask(trim(*mask)));
  return folder.add_once("trace_marker", text);
}

}  // namespace peregrine
