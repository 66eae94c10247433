// Machine: resolves who owned an address at a moment: the processes, threads, names and maps of one recorded machine.
//
//   SideBand ──apply()──▶ ThreadTable     tid at a moment ─▶ thread, comm, address space   ┐
//                      ├▶ AddressSpaces   address in a space at a moment ─▶ map, dso       ├─▶ Resolver of a worker
//                      └▶ DsoTable        dso, dso address ─▶ symbol; loaded when needed   ┘
//
// Side-band records are applied in order, one thread at a time. Between two batches of side-band, any number of
// threads may call the const functions, each through its own Resolver. Past moments stay known until forget_before()
// passes them. Behaviour follows linux-perf: threads are found by tid, fork shares the parent's maps, exec keeps old
// maps until others overlap them, and an exit changes nothing, unless forget_exited_threads() was called.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "abi/side_band.h"
#include "base/build_id.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/dso/guest_kernels.h"
#include "machine/jit_code.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"

namespace peregrine {

inline constexpr std::string_view kKernelName = "[kernel.kallsyms]";

// Protection bits of maps, as recorded.
struct MapProtection {
  static constexpr u32 Read = 1, Write = 2, Exec = 4;
};

// Counters updated as side-band is applied.
struct MachineCounts {
  u64 mmaps = 0, comms = 0, forks = 0, exits = 0, ksymbols = 0, namespaces = 0;
  u64 bad_maps = 0;           // empty or wrapping ranges
  u64 jitdumps = 0;           // readable jitdumps
  u64 lost_jitdumps = 0;      // unreadable jitdumps
  u64 timeless_jitdumps = 0;  // incomparable times: the last owner of an address names its code
  u64 proc_map_timeouts = 0;  // processes with a /proc/PID/maps that could not be read in time at the start
  u64 outside_records = 0;    // ignored, because the process was outside the recorder's PID namespace
};

class Machine {
 public:
  explicit Machine(SymbolPlaces places = {});
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Applies one side-band record at `moment` (ascending). Ignores types unrelated to threads or maps.
  void apply(const abi::SideBand& record, Moment moment);
  // Sets a build-id from the BUILD_ID feature or a HEADER_BUILD_ID record. Call this before the maps it describes.
  void set_build_id(std::string_view name, u16 cpumode, const BuildId& id);
  // Sets the clocks of recording and jitdumps. Call this before the maps of dumps are applied.
  void set_jit_clock(const JitClock& clock) { jit_clock_ = clock; }
  const JitClock& jit_clock() const { return jit_clock_; }
  // Maps code that a compiler has dumped by `time` from `moment` on. Call this before applying the record of that
  // moment.
  void apply_jit(u64 time, Moment moment) {
    if (time >= jit_.next_time()) jit_.apply_until(time, spaces_, moment);
  }
  // Makes forget_before() drop ended threads with their maps. A live machine needs this, so that its memory depends on
  // what is running, not on everything that ever ran.
  void forget_exited_threads() { forgets_exited_ = true; }
  // Declares that no earlier moment will be queried again.
  void forget_before(Moment moment);

  // Returns the thread at that moment. If side-band never named it, only pid and tid are set (comm ":TID").
  ThreadState thread(u32 pid, u32 tid, Moment moment) const { return threads_.find(pid, tid, moment); }
  // Returns "bash", ":4711" for a thread without a recorded name, or "swapper" for tid 0.
  std::string comm_text(CommId comm) const { return threads_.comm_text(comm); }
  // Returns the id of this name, if any thread ever had it.
  std::optional<CommId> find_comm(std::string_view name) const { return threads_.find_comm(name); }

  const DsoTable& dsos() const { return dsos_; }
  DsoTable& dsos() { return dsos_; }
  const AddressSpaces& spaces() const { return spaces_; }
  const ThreadTable& threads() const { return threads_; }
  const JitCode& jit() const { return jit_; }
  SpaceId kernel_space() const { return kernel_space_; }
  DsoId kernel_dso() const { return dsos_.kernel(); }
  const GuestKernels& guests() const { return guests_; }
  // Whether an address belongs to the kernel image. If the kernel has symbols, linux-perf trusts them more than the
  // recorded map, which ends with the text present when recording began and may be all there is.
  bool in_kernel_image(u64 ip, bool mapped) const;
  const MachineCounts& counts() const { return counts_; }
  // Look-ups before this moment stay valid; later moments are still unknown.
  Moment applied_until() const { return applied_until_; }
  void set_applied_until(Moment moment) { applied_until_ = moment; }

 private:
  void apply_mmap(const abi::MmapRecord& record, u16 misc, Moment moment);
  void apply_kernel_mmap(const abi::MmapRecord& record, Moment moment);
  void begin_jitdump(const abi::MmapRecord& record, SpaceId space, DsoId dso, Moment moment);
  void insert_anonymous(SpaceId space, const Map& map, Moment moment);
  void apply_comm(const abi::CommRecord& record, Moment moment);
  void apply_fork(const abi::ForkRecord& record, u16 misc, Moment moment);
  void apply_exit(const abi::ExitRecord& record, Moment moment);
  void apply_ksymbol(const abi::KsymbolRecord& record, Moment moment);
  DsoId dso_of(const abi::MmapRecord& record, Map& map);
  DsoId add_kernel(std::string_view name);
  DsoId add_module(std::string_view path, bool show_path);
  SpaceId space_of(u32 pid, u32 tid, Moment moment);

  DsoTable dsos_;
  GuestKernels guests_;
  AddressSpaces spaces_;
  ThreadTable threads_;
  JitCode jit_;
  JitClock jit_clock_;
  SpaceId kernel_space_;
  std::unordered_map<std::string, DsoId> modules_;  // key: "[name]"
  MachineCounts counts_;
  Moment applied_until_ = 1;
  bool forgets_exited_ = false;
};

}  // namespace peregrine
