#include "machine/resolver/resolver.h"

#include <algorithm>
#include <cstddef>

#include "abi/record.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

constexpr std::size_t kThreadMemo = 1024;
// An entry takes 16 bytes. These sizes suffice for a busy machine's user code and fit into a second-level cache.
constexpr std::size_t kMemoAtFirst = 4096, kUserMemo = 65536, kKernelMemo = 32768;
constexpr u64 kMemoMultiplier = 0x9e3779b97f4a7c15;
constexpr u32 kEmpty = 0xffffffffu;

std::size_t memo_slot(std::size_t size, u32 scope, u64 address) {
  return ((address + (u64{scope} << 20)) * kMemoMultiplier >> 32) & (size - 1);
}

std::size_t hash_frame(u64 address, u32 dso, unsigned kind) {
  u64 hash = (address ^ (u64{dso} << 40) ^ kind) * kMemoMultiplier;
  return hash ^ (hash >> 32);
}

}  // namespace

char frame_letter(FrameKind kind) {
  switch (kind) {
    case FrameKind::User:
      return '.';
    case FrameKind::Kernel:
      return 'k';
    case FrameKind::GuestKernel:
      return 'g';
    case FrameKind::GuestUser:
      return 'u';
    case FrameKind::Hypervisor:
    case FrameKind::Unknown:
      break;
  }
  return 'H';
}

Resolver::Resolver(const Machine& machine) : machine_(machine), maps_(machine.spaces()), threads_(kThreadMemo) {
  forget();
}

void Resolver::forget() {
  user_memo_ = {std::vector<FrameMemo>(kMemoAtFirst), kUserMemo};
  kernel_memo_ = {std::vector<FrameMemo>(kMemoAtFirst), kKernelMemo};
  frames_.clear();
  frame_count_ = 0;
  index_ = std::vector<u32>(1024, kEmpty);
  names_index_ = std::vector<NameSlot>(1024);
  names_.clear();
}

const Resolver::Context& Resolver::context(u32 pid, u32 tid, Moment moment) {
  ThreadMemo& memo = threads_[tid % kThreadMemo];
  if (memo.tid == tid && memo.pid == pid && memo.from <= moment && moment < memo.until) return memo.context;
  memo.tid = tid;
  memo.pid = pid;
  memo.from = moment;
  memo.context.thread = machine_.thread(pid, tid, moment);
  memo.context.space = machine_.spaces().version(memo.context.thread.space, moment);
  memo.context.kernel = machine_.spaces().version(machine_.kernel_space(), moment);
  // Until the first of these changes. No moment after applied_until() is known yet, so the memo ends there at the
  // latest.
  memo.until = std::min(
      {memo.context.thread.until, memo.context.space.until, memo.context.kernel.until, machine_.applied_until()});
  return memo.context;
}

FrameId Resolver::frame(const Context& context, u64 ip, u16 cpumode) {
  switch (cpumode) {
    case abi::misc_bit::Kernel:
      return kernel_frame(context.kernel, ip);
    case abi::misc_bit::User:
      return user_frame(context.space, ip);
    case abi::misc_bit::Hypervisor:
      return intern(Frame{ip, {}, {}, FrameKind::Hypervisor});
    case abi::misc_bit::GuestKernel:
      return intern(Frame{ip, machine_.guests().find(context.thread.pid, ip), {}, FrameKind::GuestKernel});
    case abi::misc_bit::GuestUser:
      return intern(Frame{ip, {}, {}, FrameKind::GuestUser});
    default:
      return intern(Frame{ip, {}, {}, FrameKind::Unknown});
  }
}

FrameId Resolver::frame_anywhere(const Context& context, u64 address) {
  for (const u16 half : {abi::misc_bit::User, abi::misc_bit::Kernel})
    if (const FrameId found = frame(context, address, half); at(found).dso) return found;
  return frame(context, address, abi::misc_bit::Hypervisor);
}

// Unmapped addresses have no dso and share the scope kEmpty.
Resolver::FrameKey Resolver::user_key(const SpaceVersion& space, u64 ip) {
  const Map* map = maps_.find(space, ip);
  return map == nullptr ? FrameKey{ip, kEmpty} : FrameKey{map->dso_address(ip), map->dso.value};
}

FrameId Resolver::user_frame(const SpaceVersion& space, u64 ip) {
  const FrameKey key = user_key(space, ip);
  return remembered(user_memo_, key, [&] {
    return Frame{key.address, key.scope == kEmpty ? DsoId() : DsoId(key.scope), {}, FrameKind::User};
  });
}

FrameId Resolver::kernel_frame(const SpaceVersion& space, u64 ip) {
  return remembered(kernel_memo_, {ip, space.number}, [&] { return resolve_kernel(space, ip); });
}

template <class F>
FrameId Resolver::remembered(Memo& memo, const FrameKey& key, F resolve) {
  const FrameMemo& entry = memo.entries[memo_slot(memo.entries.size(), key.scope, key.address)];
  if (entry.address == key.address && entry.scope == key.scope && entry.frame != kEmpty) return FrameId(entry.frame);
  const FrameId id = intern(resolve());
  if (++memo.misses == memo.entries.size() &&
      memo.entries.size() < memo.most) {  // too small: start over with twice the size
    memo.entries.assign(memo.entries.size() * 2, FrameMemo());
    memo.misses = 0;
  }
  memo.entries[memo_slot(memo.entries.size(), key.scope, key.address)] = FrameMemo{key.address, key.scope, id.value};
  return id;
}

// Leaves the symbol out: intern() looks it up once per distinct frame.
Frame Resolver::resolve_kernel(const SpaceVersion& space, u64 ip) const {
  const MapId found = machine_.spaces().find(space.space, space.number, ip);
  const DsoId kernel = machine_.kernel_dso();
  if (kernel && (!found || machine_.spaces().at(found).dso == kernel)) {
    return Frame{ip, machine_.in_kernel_image(ip, static_cast<bool>(found)) ? kernel : DsoId(), {}, FrameKind::Kernel};
  }
  if (!found) return Frame{ip, {}, {}, FrameKind::Kernel};
  const Map& map = machine_.spaces().at(found);
  return Frame{map.dso_address(ip), map.dso, {}, FrameKind::Kernel};
}

u64 Resolver::kernel_offset(const Context& context, u64 ip) const {
  const MapId found = machine_.spaces().find(context.kernel.space, context.kernel.number, ip);
  return found ? ip - machine_.spaces().at(found).start : ip;
}

FrameId Resolver::intern(const Frame& frame) {
  if ((frame_count_ + 1) * 3 > index_.size() * 2) grow_index();
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash_frame(frame.address, frame.dso.value, static_cast<unsigned>(frame.kind)) & mask;
  for (; index_[slot] != kEmpty; slot = (slot + 1) & mask) {
    const Frame& known = at(FrameId(index_[slot]));
    if (known.address == frame.address && known.dso == frame.dso && known.kind == frame.kind) {
      return FrameId(index_[slot]);
    }
  }
  const FrameId id(static_cast<u32>(frame_count_));
  index_[slot] = id.value;
  Frame added = frame;
  if (frame.dso) {
    const DsoTable& dsos = machine_.dsos();
    const SymbolTable& table = dsos.symbols(frame.dso);
    added.symbol = table.find_index(frame.address + dsos.bias(frame.dso));
  }
  // Frames are stored in blocks that never move: at() returns references, and growing copies nothing.
  if (frame_count_ % kBlock == 0) frames_.push_back(std::make_unique_for_overwrite<Frame[]>(kBlock));
  frames_.back()[frame_count_++ % kBlock] = added;
  return id;
}

void Resolver::grow_index() {
  index_.assign(index_.size() * 2, kEmpty);
  const std::size_t mask = index_.size() - 1;
  for (u32 id = 0; id < frame_count_; ++id) {
    const Frame& frame = at(FrameId(id));
    std::size_t slot = hash_frame(frame.address, frame.dso.value, static_cast<unsigned>(frame.kind)) & mask;
    while (index_[slot] != kEmpty) slot = (slot + 1) & mask;
    index_[slot] = id;
  }
}

void Resolver::prefetch(const Context& context, u64 ip) {
  const bool kernel = ip >> 63 != 0;
  const auto& memo = (kernel ? kernel_memo_ : user_memo_).entries;
  const FrameKey key = kernel ? FrameKey{ip, context.kernel.number} : user_key(context.space, ip);
  __builtin_prefetch(&memo[memo_slot(memo.size(), key.scope, key.address)]);
}

void Resolver::chain(const Context& context, std::span<const u64> callchain, unsigned max_depth,
                     std::vector<FrameId>& frames, std::vector<u64>* ips) {
  const std::size_t first = frames.size();
  u16 cpumode = abi::misc_bit::User;
  constexpr std::size_t kAhead = 6;
  for (std::size_t i = 0; i < callchain.size(); ++i) {
    if (i + kAhead < callchain.size()) prefetch(context, callchain[i + kAhead]);
    const u64 ip = callchain[i];
    if (ip < abi::kContextMax) {
      if (frames.size() - first == max_depth) return;
      frames.push_back(frame(context, ip, cpumode));
      if (ips != nullptr) ips->push_back(ip);
    } else if (ip == abi::kContextKernel) {
      cpumode = abi::misc_bit::Kernel;
    } else if (ip == abi::kContextUser) {
      cpumode = abi::misc_bit::User;
    } else if (ip == abi::kContextHypervisor) {
      cpumode = abi::misc_bit::Hypervisor;
    } else {
      if (ips != nullptr) ips->resize(ips->size() - (frames.size() - first));
      frames.resize(first);
      return;
    }
  }
}

std::string_view Resolver::symbol_name(const Frame& frame) {
  if (!frame.symbol) return {};
  if ((names_.size() + 1) * 2 > names_index_.size()) grow_names();
  const u64 key = (u64{frame.dso.value} << 32) | frame.symbol.value;
  const std::size_t mask = names_index_.size() - 1;
  std::size_t slot = (key * kMemoMultiplier >> 32) & mask;
  for (; names_index_[slot].name != kEmpty; slot = (slot + 1) & mask) {
    if (names_index_[slot].key == key) return names_[names_index_[slot].name];
  }
  names_index_[slot] = NameSlot{key, static_cast<u32>(names_.size())};
  return names_.emplace_back(machine_.dsos().symbol_name(frame.dso, frame.symbol));
}

void Resolver::grow_names() {
  std::vector<NameSlot> old(names_index_.size() * 2);
  old.swap(names_index_);
  const std::size_t mask = names_index_.size() - 1;
  for (const NameSlot& entry : old) {
    if (entry.name == kEmpty) continue;
    std::size_t slot = (entry.key * kMemoMultiplier >> 32) & mask;
    while (names_index_[slot].name != kEmpty) slot = (slot + 1) & mask;
    names_index_[slot] = entry;
  }
}

u64 Resolver::symbol_start(const Frame& frame) const {
  if (!frame.symbol) return 0;
  const DsoTable& dsos = machine_.dsos();
  return dsos.symbols(frame.dso).start(frame.symbol) - dsos.bias(frame.dso);
}

std::string_view Resolver::comm(const Context& context) {
  if (!context.thread.comm.unnamed()) return machine_.threads().comm_view(context.thread.comm);
  comm_ = machine_.comm_text(context.thread.comm);
  return comm_;
}

}  // namespace peregrine
