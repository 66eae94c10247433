#include "capture/tracer/trace_mark.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

#include "base/text/trim.h"

namespace peregrine {
namespace {

// Runs this thread on the given CPUs, as far as they fit into a cpu_set_t, until it is destroyed.
class CpuStay {
 public:
  explicit CpuStay(const std::vector<unsigned>& cpus) {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const unsigned cpu : cpus)
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

std::vector<unsigned> mask_cpus(std::string_view mask) {
  std::vector<unsigned> cpus;
  unsigned bit = 0;
  for (std::size_t i = mask.size(); i-- > 0;) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t digit = kDigits.find(mask[i]);
    if (digit == std::string_view::npos) continue;  // between groups
    for (unsigned low = 0; low < 4; ++low)
      if ((digit >> low & 1) != 0) cpus.push_back(bit + low);
    bit += 4;
  }
  return cpus;
}

Result<> write_mark(const TraceFolder& folder, std::string_view text) {
  auto done = folder.add_once("trace_marker", text);
  if (done || done.error().system_errno != EBADF) return done;
  const auto mask = folder.read("tracing_cpumask");
  if (!mask) return done;
  const CpuStay stay(mask_cpus(trim(*mask)));
  return folder.add_once("trace_marker", text);
}

}  // namespace peregrine
