#include "pipeline/recording/switch_trigger.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <cstddef>
#include <expected>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "capture/perf_event/ring_buffer.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

// Every hit must wake us, and should be as small as possible.
void configure(EventSpec& spec) {
  auto& attr = spec.attr;
  attr.set(abi::attr_flag::Freq, false);
  attr.sample_period = 1;
  attr.sample_type = abi::sample_bit::Tid | abi::sample_bit::Time;
  attr.read_format = abi::read_bit::Id;
  attr.set(abi::attr_flag::Disabled, false);
  attr.set(abi::attr_flag::Inherit);
  attr.set(abi::attr_flag::Watermark, false);
  attr.wakeup_events = 1;
}

}  // namespace

Result<SwitchTrigger> SwitchTrigger::open(EventList events, const Target& target, const PerfLimits& limits,
                                          std::vector<std::string>& warnings) {
  for (EventSpec& spec : events) {
    if (spec.needs_program())
      return fail(ErrorKind::Unsupported, "{}: events that switch files accept only kernel addresses and symbols",
                  spec.name);
    configure(spec);
  }
  auto recorder = Recorder::open(events, target, limits, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), warnings);
  if (!recorder) return std::unexpected(std::move(recorder.error()));
  SwitchTrigger trigger(std::move(*recorder), Fd(::epoll_create1(EPOLL_CLOEXEC)));
  if (!trigger.epoll_) return fail_errno("epoll");
  for (const Ring& ring : trigger.recorder_.rings()) {
    for (const int fd : ring.writers) {
      epoll_event wanted{.events = EPOLLIN, .data = {.fd = fd}};
      if (::epoll_ctl(trigger.epoll_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) return fail_errno("epoll");
    }
  }
  return trigger;
}

bool SwitchTrigger::take() {
  epoll_event ready[64];
  const int count = ::epoll_wait(epoll_.get(), ready, std::size(ready), 0);
  for (int i = 0; i < count; ++i) {
    // The descriptor of an ended thread would stay ready forever.
    if ((ready[i].events & (EPOLLHUP | EPOLLERR)) != 0)
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, ready[i].data.fd, nullptr);
  }
  bool hit = false;
  for (Ring& ring : recorder_.rings()) {
    const RingSpan span = ring.buffer.available();
    hit |= !span.empty();
    ring.buffer.consume(span.size());
  }
  return hit;
}

}  // namespace peregrine
