#include "capture/perf_event/perf_clock.h"

#include <linux/prctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "capture/perf_event/event_matrix.h"

namespace peregrine {
namespace {

// Returns `there` minus the monotonic clock. Two readings bracket it, and their middle cancels the cost of the calls.
template <class Reading>
Result<i64> compare(Reading&& there) {
  const i64 before = read_clock(CLOCK_MONOTONIC);
  const Result<i64> time = there();
  if (!time) return time;
  const i64 after = read_clock(CLOCK_MONOTONIC);
  return *time - (before + (after - before) / 2);
}

}  // namespace

i64 read_clock(int clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return i64{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Result<PerfClock> PerfClock::open(const abi::EventAttr& attr) {
  PerfClock clock;
  if (attr.has(abi::attr_flag::UseClockid)) {
    clock.clockid_ = attr.clockid;
    return clock;
  }
  abi::EventAttr comm;
  comm.type = static_cast<u32>(abi::EventType::Software);
  comm.config = static_cast<u64>(abi::SoftwareEvent::Dummy);
  comm.sample_type = abi::sample_bit::Time;
  comm.flags = abi::attr_flag::Comm | abi::attr_flag::SampleIdAll | abi::attr_flag::ExcludeKernel;
  const int opened = open_event(comm, 0, -1, -1);
  if (opened < 0) return fail_errno("cannot open an event for its clock", -opened);
  clock.event_ = Fd(opened);
  auto ring = RingBuffer::map(opened, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  if (!ring) return std::unexpected(std::move(ring.error()));
  clock.ring_.emplace(std::move(*ring));
  return clock;
}

Result<i64> PerfClock::offset() {
  if (clockid_) return compare([&]() -> Result<i64> { return read_clock(*clockid_); });
  char name[16] = {};
  ::prctl(PR_GET_NAME, name);
  ring_->consume(ring_->available().size());
  return compare([&]() -> Result<i64> {
    ::prctl(PR_SET_NAME, name);
    const RingSpan record = ring_->available();
    i64 time = 0;
    // The only record ends with its time.
    const Bytes last = record.second.empty() ? record.first : record.second;
    if (last.size() < sizeof time)
      return fail(ErrorKind::Unsupported, "cannot read the perf clock: the kernel wrote no record");
    std::memcpy(&time, last.data() + last.size() - sizeof time, sizeof time);
    return time;
  });
}

}  // namespace peregrine
