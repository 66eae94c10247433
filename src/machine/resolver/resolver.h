// Resolver: the meaning of addresses, asked by one worker of a Machine that does not change meanwhile.
//
// A Resolver belongs to one worker and keeps its memos over all batches: threads by tid, frames by (dso, address).
// Frames are interned: equal meanings get one FrameId, dense from 0, so that a consumer can keep what it makes of a
// frame (a text line, a tree key) in an array of its own. FrameIds of different resolvers are unrelated.
// After warm-up no heap is touched and a frame costs a few ns.
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"
#include "machine/process/recent_maps.h"

namespace peregrine {

using FrameId = Id<struct FrameTag>;

enum class FrameKind : u8 { User, Kernel, Hypervisor, GuestKernel, GuestUser, Unknown };
// The letter of report's "[k] symbol": k . H g u.
char frame_letter(FrameKind kind);

struct Frame {
  u64 address =
      0;      // in the dso (user files: file offset); the ip itself in the kernel, in anonymous and unmapped memory
  DsoId dso;  // invalid: in no map
  SymbolIndex symbol;  // of that dso; invalid: unknown
  FrameKind kind = FrameKind::Unknown;
  friend bool operator==(const Frame&, const Frame&) = default;
};

class Resolver {
 public:
  explicit Resolver(const Machine& machine);

  const Machine& machine() const { return machine_; }

  // The thread of a sample at its moment, with the version of its address space. Valid until the next call with another
  // tid.
  struct Context {
    ThreadState thread;
    SpaceVersion space;
    SpaceVersion kernel;
  };
  const Context& context(u32 pid, u32 tid, Moment moment);

  // The frame of one address: cpumode is a sample's misc & 7.
  FrameId frame(const Context& context, u64 ip, u16 cpumode);
  // The frame of an address whose half of memory is not told: a branch may lead from a program into the kernel. In no
  // map of either, it is of the Hypervisor kind, as linux-perf shows it.
  FrameId frame_anywhere(const Context& context, u64 address);
  // Bytes behind the start of the kernel's or module's map; the address itself where there is none.
  u64 kernel_offset(const Context& context, u64 ip) const;
  // The frames of a callchain, innermost first, without context markers; at most `max_depth` of them. A chain with an
  // unknown marker gives none, as in linux-perf. `ips`, when given, gets the addresses.
  void chain(const Context& context, std::span<const u64> callchain, unsigned max_depth, std::vector<FrameId>& frames,
             std::vector<u64>* ips = nullptr);

  const Frame& at(FrameId id) const { return frames_[id.value >> kBlockBits][id.value % kBlock]; }
  std::size_t frame_count() const { return frame_count_; }

  // "main", demangled once per symbol; empty for an unknown symbol. Valid as long as the resolver.
  std::string_view symbol_name(const Frame& frame);
  // Start of the symbol, for sym+off.
  u64 symbol_start(const Frame& frame) const;
  // Bytes behind the symbol's start.
  u64 symbol_offset(const Frame& frame) const { return frame.address - symbol_start(frame); }
  // "comm" or ":TID"; valid until the next call.
  std::string_view comm(const Context& context);

 private:
  struct ThreadMemo {
    u32 tid = 0;
    u32 pid = 0;
    Moment from = 0;
    Moment until = 0;
    Context context;
  };
  // Of an address in a dso, or (in the kernel) in a version of the address space.
  struct FrameKey {
    u64 address = 0;
    u32 scope = 0;
    friend bool operator==(const FrameKey&, const FrameKey&) = default;
  };
  struct FrameMemo {
    u64 address = 0;
    u32 scope = 0;
    u32 frame = 0xffffffffu;
  };
  // Direct-mapped: a newer address takes the place of an older one. Grows while it misses much.
  struct Memo {
    std::vector<FrameMemo> entries;
    std::size_t most = 0;
    std::size_t misses = 0;
  };
  static constexpr unsigned kBlockBits = 12;
  static constexpr std::size_t kBlock = std::size_t{1} << kBlockBits;

  FrameId user_frame(const SpaceVersion& space, u64 ip);
  FrameId kernel_frame(const SpaceVersion& space, u64 ip);
  template <class F>
  FrameId remembered(Memo& memo, const FrameKey& key, F resolve);
  FrameKey user_key(const SpaceVersion& space, u64 ip);
  Frame resolve_kernel(const SpaceVersion& space, u64 ip) const;
  FrameId intern(const Frame& frame);
  void prefetch(const Context& context, u64 ip);
  void grow_index();
  void grow_names();

  const Machine& machine_;
  RecentMaps maps_;
  std::vector<ThreadMemo> threads_;
  Memo user_memo_, kernel_memo_;
  std::vector<std::unique_ptr<Frame[]>> frames_;  // in blocks: there may be many, and they are not moved
  std::size_t frame_count_ = 0;
  std::vector<u32> index_;  // open addressing over frames_
  struct NameSlot {
    u64 key = 0;
    u32 name = 0xffffffffu;
  };
  std::vector<NameSlot> names_index_;
  std::deque<std::string> names_;
  std::string comm_;
};

}  // namespace peregrine
