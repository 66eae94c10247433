// JitCode: the code that appears in processes while they run, told by their jitdumps in place of MMAP records.
//
//   map of jit-PID.dump ─▶ begin(): the dump is indexed ─▶ apply_until(time): what is due becomes a map of the process
//
// The dump is the dso, a place in it the dso address. Until its first owner's time has come, an address belongs to that
// owner already: some compilers tell of code only after it has begun to run. Where the times of dump and recording do
// not compare (JitClock), everything is mapped at once, in order. Written in order by Machine; const functions are
// thread safe in between.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "machine/process/address_space.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

// How the times of a dump become those of the recording.
struct JitClock {
  bool monotonic = false;  // the recording's clock is CLOCK_MONOTONIC, as that of dumps
  // From a TIME_CONV record, for dumps that hold cycle counts.
  struct Conversion {
    u64 shift = 0, multiplier = 0, zero = 0;
    u64 cycles = 0, mask = 0;  // of counters that wrap; mask 0: they do not
  };
  std::optional<Conversion> cycles;

  bool compares(const JitDump& dump) const { return dump.times_are_cycles() ? cycles.has_value() : monotonic; }
  u64 recorded_time(const JitDump& dump, u64 time) const;
};

class JitCode {
 public:
  JitCode() = default;
  JitCode(const JitCode&) = delete;
  JitCode& operator=(const JitCode&) = delete;

  // The dump of that dso, if it is one.
  const JitDump* find(DsoId dso) const;
  bool any() const { return !dumps_.empty(); }
  const JitDump& add(DsoId dso, JitDump dump);
  // From now on the dump's code appears in `space`. A dump that already does is left alone.
  void begin(SpaceId space, DsoId dso, const JitClock& clock, AddressSpaces& spaces, Moment moment);
  // The program of that space is gone: what its dump says later is not about this one.
  void end(SpaceId space);
  // Drops what it knows of the spaces whose element is false.
  void keep(const std::vector<bool>& kept);
  // No placement is due before that time.
  u64 next_time() const { return next_time_; }
  // Before a record of that time is applied or resolved.
  void apply_until(u64 time, AddressSpaces& spaces, Moment moment);

 private:
  struct Feed {
    SpaceId space;
    DsoId dso;
    const JitDump* dump = nullptr;
    std::size_t next = 0;  // placement
    JitClock clock;
    u64 next_time() const;
  };
  static Map map_of(const Feed& feed, const JitPlacement& placement);
  void find_next();

  std::unordered_map<u32, std::unique_ptr<JitDump>> dumps_;  // by dso
  std::vector<Feed> feeds_;
  u64 next_time_ = ~u64{0};
};

}  // namespace peregrine
