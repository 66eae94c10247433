// Resolver: resolves addresses to their meaning, for one worker. The Machine must not change meanwhile.
//
// A Resolver belongs to one worker and keeps its memos over all batches: threads by tid, frames by (dso, address).
// Frames are interned: equal meanings get the same FrameId. Ids are dense from 0, so that a consumer can keep its
// results for frames (a text line, a tree key) in an array. FrameIds of different resolvers are unrelated. After
// warm-up, a frame takes a few ns and no heap allocation.
#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/container/id.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/process/recent_maps.h"
#include "machine/process/thread_table.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

using FrameId = Id<struct FrameTag>;

enum class FrameKind : u8 { User, Kernel, Hypervisor, GuestKernel, GuestUser, Unknown };
// The letter in report's "[k] symbol": k . H g u.
char frame_letter(FrameKind kind);

struct Frame {
  u64 address =
      0;      // in the dso (user files: file offset); the ip itself in the kernel, in anonymous and unmapped memory
  DsoId dso;  // invalid: unmapped
  SymbolIndex symbol;  // in that dso; invalid: unknown
  FrameKind kind = FrameKind::Unknown;
  friend bool operator==(const Frame&, const Frame&) = default;
};

class Resolver {
 public:
  explicit Resolver(const Machine& machine);

  const Machine& machine() const { return machine_; }
  // Forgets all frames and names. FrameIds start again from 0; earlier ones become invalid.
  void forget();

  // Returns the thread of a sample at its moment, with the version of its address space. Valid until the next call
  // with another tid.
  struct Context {
    ThreadState thread;
    SpaceVersion space;
    SpaceVersion kernel;
  };
  const Context& context(u32 pid, u32 tid, Moment moment);

  // Returns the frame of an address. `cpumode` is a sample's misc & 7.
  FrameId frame(const Context& context, u64 ip, u16 cpumode);
  // Returns the frame of an address in user space or the kernel: a branch may lead from a program into the kernel. An
  // address that neither maps becomes a Hypervisor frame, as in linux-perf.
  FrameId frame_anywhere(const Context& context, u64 address);
  // Returns the offset from the start of the kernel's or module's map, or the address itself if there is no map.
  u64 kernel_offset(const Context& context, u64 ip) const;
  // Returns at most `max_depth` frames of a callchain, innermost first, without context markers. A chain with an
  // unknown marker gives no frames, as in linux-perf. If `ips` is given, it gets the addresses.
  void chain(const Context& context, std::span<const u64> callchain, unsigned max_depth, std::vector<FrameId>& frames,
             std::vector<u64>* ips = nullptr);

  const Frame& at(FrameId id) const { return frames_[id.value >> kBlockBits][id.value % kBlock]; }
  std::size_t frame_count() const { return frame_count_; }

  // Returns "main", demangled once per symbol, or an empty string for an unknown symbol. Valid until forget().
  std::string_view symbol_name(const Frame& frame);
  // Returns the start of the symbol, for sym+off.
  u64 symbol_start(const Frame& frame) const;
  // Returns the offset from the start of the symbol.
  u64 symbol_offset(const Frame& frame) const { return frame.address - symbol_start(frame); }
  // Returns "comm" or ":TID". Valid until the next call.
  std::string_view comm(const Context& context);

 private:
  struct ThreadMemo {
    u32 tid = 0;
    u32 pid = 0;
    Moment from = 0;
    Moment until = 0;
    Context context;
  };
  // An address in a dso or, for the kernel, in a version of the address space.
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
  // Direct-mapped: a newer address replaces an older one. Grows if it misses often.
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
  std::vector<std::unique_ptr<Frame[]>> frames_;  // in blocks, since frames are many and must not move
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
