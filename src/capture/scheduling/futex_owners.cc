#include "capture/scheduling/futex_owners.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include <bpf/libbpf.h>
#include <futex_owner.skel.h>

#include "base/fd.h"
#include "capture/bpf/scheduling/futex_owner.h"
#include "capture/perf_event/event_matrix.h"

namespace peregrine {

namespace {
constexpr u32 kOwnerBits = 0x3fffffff;      // FUTEX_TID_MASK
constexpr u64 kKept = 2'000'000'000;        // ns to keep a call; most are other programs' and never needed
constexpr std::size_t kMostWaiting = 4096;  // unclaimed calls of one thread

bool inherits_priority(u32 operation) { return operation == 6 || operation == 13; }  // FUTEX_LOCK_PI, FUTEX_LOCK_PI2
}  // namespace

struct FutexOwners::State {
  struct Destroy {
    void operator()(futex_owner* opened) const { futex_owner__destroy(opened); }
    void operator()(ring_buffer* mapped) const { ring_buffer__free(mapped); }
  };
  static int keep(void* context, void* data, std::size_t size);

  std::unique_ptr<futex_owner, Destroy> skeleton;
  std::unique_ptr<ring_buffer, Destroy> ring;
  Fd event;                                               // attaches the program to its tracepoint
  std::unordered_map<u32, std::deque<futex_wait>> waits;  // by tid
};

int FutexOwners::State::keep(void* context, void* data, std::size_t size) {
  if (size < sizeof(futex_wait)) return 0;
  const futex_wait wait = *static_cast<const futex_wait*>(data);
  auto& waits = static_cast<State*>(context)->waits[wait.tid];
  if (waits.size() == kMostWaiting) waits.pop_front();
  waits.push_back(wait);
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
  if (!state->skeleton) return fail_errno("opening the BPF program");
  futex_owner& skeleton = *state->skeleton;
  skeleton.rodata->address_at = address_at;
  skeleton.rodata->operation_at = operation_at;
  if (const int error = futex_owner__load(&skeleton); error != 0) return fail_errno("loading the BPF program", -error);
  // The event counts nothing: it only attaches the program to the tracepoint.
  abi::EventAttr attr = enter.attr;
  attr.flags = abi::attr_flag::Disabled;
  const int opened = open_event(attr, -1, 0, -1);
  if (opened < 0) return fail_errno("opening syscalls:sys_enter_futex", -opened);
  state->event = Fd(opened);
  if (::ioctl(state->event.get(), PERF_EVENT_IOC_SET_BPF, bpf_program__fd(skeleton.progs.keep_owner)) != 0)
    return fail_errno("attaching a BPF program to syscalls:sys_enter_futex");
  state->ring.reset(ring_buffer__new(bpf_map__fd(skeleton.maps.waits), &State::keep, state.get(), nullptr));
  if (!state->ring) return fail_errno("mapping the BPF program's ring buffer");
  return FutexOwners(std::move(state));
}

void FutexOwners::collect() {
  ring_buffer__consume(state_->ring.get());
  u64 newest = 0;
  for (const auto& [tid, waits] : state_->waits) newest = std::max<u64>(newest, waits.back().time);
  for (auto& [tid, waits] : state_->waits)
    while (!waits.empty() && waits.front().time + kKept < newest) waits.pop_front();
  std::erase_if(state_->waits, [](const auto& thread) { return thread.second.empty(); });
}

std::optional<FutexOwner> FutexOwners::find(u32 tid, u64 time, u64 address) {
  const auto known = state_->waits.find(tid);
  if (known == state_->waits.end()) return std::nullopt;
  std::deque<futex_wait>& waits = known->second;
  std::optional<futex_wait> found;
  while (!waits.empty() && waits.front().time <= time) {
    found = waits.front();
    waits.pop_front();
  }
  if (waits.empty()) state_->waits.erase(known);
  if (!found || found->address != address) return std::nullopt;
  FutexOwner owner{.in_word = 0, .in_mutex = found->owner & kOwnerBits};
  if (inherits_priority(found->operation)) owner.in_word = found->word & kOwnerBits;
  return owner;
}

}  // namespace peregrine
