// JitCode: code that appears in processes while they run, known from jitdumps instead of MMAP records.
//
//   map of jit-PID.dump ─▶ begin(): index the dump ─▶ apply_until(time): map the due code into the process
//
// The dump is the dso, and an offset in it is the dso address. Before its first owner's time, an address already
// belongs to that owner: some compilers dump code only after it has begun to run. If the times of dump and recording
// cannot be compared (JitClock), everything is mapped at once, in order. Written in order by Machine; const functions
// are thread safe in between.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

// Converts the times of a dump to those of the recording.
struct JitClock {
  bool monotonic = false;  // the recording uses CLOCK_MONOTONIC, as dumps do
  // From a TIME_CONV record, for dumps with cycle counts.
  struct Conversion {
    u64 shift = 0, multiplier = 0, zero = 0;
    u64 cycles = 0, mask = 0;  // for counters that wrap; mask 0: they do not wrap
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

  // Returns the dump of this dso, or nullptr if it is not a dump.
  const JitDump* find(DsoId dso) const;
  bool any() const { return !dumps_.empty(); }
  const JitDump& add(DsoId dso, JitDump dump);
  // Maps the dump's code into `space` from now on. Does nothing if that already happens.
  void begin(SpaceId space, DsoId dso, const JitClock& clock, AddressSpaces& spaces, Moment moment);
  // The program of this space has ended: later code in its dump does not belong here.
  void end(SpaceId space);
  // Drops the state of spaces with a false element.
  void keep(const std::vector<bool>& kept);
  // The earliest time at which a placement is due.
  u64 next_time() const { return next_time_; }
  // Call this before a record of that time is applied or resolved.
  void apply_until(u64 time, AddressSpaces& spaces, Moment moment);

 private:
  struct Feed {
    SpaceId space;
    DsoId dso;
    const JitDump* dump = nullptr;
    std::size_t next = 0;  // index of the next placement
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
