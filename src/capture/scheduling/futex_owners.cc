#include "capture/scheduling/futex_owners.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <bpf/libbpf.h>
#include <futex_owner.skel.h>

#include <cstddef>
#include <utility>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/scheduling/futex_owner.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/scheduling/futex_calls.h"

namespace peregrine {

struct FutexOwners::State {
  struct Destroy {
    void operator()(futex_owner* opened) const { futex_owner__destroy(opened); }
    void operator()(ring_buffer* mapped) const { ring_buffer__free(mapped); }
  };
  static int keep(void* context, void* data, std::size_t size);

  std::unique_ptr<futex_owner, Destroy> skeleton;
  std::unique_ptr<ring_buffer, Destroy> ring;
  Fd event;  // attaches the program to its tracepoint
  FutexCalls calls;
};

int FutexOwners::State::keep(void* context, void* data, std::size_t size) {
  if (size >= sizeof(futex_wait)) static_cast<State*>(context)->calls.keep(*static_cast<const futex_wait*>(data));
  return 0;
}

FutexOwners::FutexOwners(std::unique_ptr<State> state) : state_(std::move(state)) {}
FutexOwners::FutexOwners(FutexOwners&&) noexcept = default;
FutexOwners& FutexOwners::operator=(FutexOwners&&) noexcept = default;
FutexOwners::~FutexOwners() = default;

Result<FutexOwners> FutexOwners::open(const EventSpec& enter, u32 address_at, u32 operation_at) {
  auto state = std::make_unique<State>();
  libbpf_set_print(nullptr);
  state->skeleton.reset(futex_owner__open());
  if (!state->skeleton) return fail_errno("cannot open the BPF program");
  futex_owner& skeleton = *state->skeleton;
  skeleton.rodata->address_at = address_at;
  skeleton.rodata->operation_at = operation_at;
  if (const int error = futex_owner__load(&skeleton); error != 0)
    return fail_errno("cannot load the BPF program", -error);
  // The event counts nothing: it only attaches the program to the tracepoint.
  abi::EventAttr attr = enter.attr;
  attr.flags = abi::attr_flag::Disabled;
  const int opened = open_event(attr, -1, 0, -1);
  if (opened < 0) return fail_errno("cannot open syscalls:sys_enter_futex", -opened);
  state->event = Fd(opened);
  if (::ioctl(state->event.get(), PERF_EVENT_IOC_SET_BPF, bpf_program__fd(skeleton.progs.keep_owner)) != 0)
    return fail_errno("cannot attach a BPF program to syscalls:sys_enter_futex");
  state->ring.reset(ring_buffer__new(bpf_map__fd(skeleton.maps.waits), &State::keep, state.get(), nullptr));
  if (!state->ring) return fail_errno("cannot map the BPF program's ring buffer");
  return FutexOwners(std::move(state));
}

void FutexOwners::collect() {
  ring_buffer__consume(state_->ring.get());
  state_->calls.forget_old();
}

std::optional<FutexOwner> FutexOwners::find(u32 tid, u64 time, u64 address) {
  return state_->calls.find(tid, time, address);
}

}  // namespace peregrine
