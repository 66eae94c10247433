// Machine: whose address is it, and when. The processes, threads, names and maps of one recorded machine.
//
// Fed by side-band records in order, one thread at a time (apply); between two batches of side-band any number of
// threads may ask it (all const functions), each through a Resolver of its own. What held at a moment stays answerable
// until forget_before() passes that moment. Behaviour follows linux-perf: threads are found by tid, fork shares the
// parent's maps, exec keeps old maps until others overlap them, and an exit changes nothing, unless the machine is told
// to forget_exited_threads().
#pragma once
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/side_band.h"
#include "base/container/string_pool.h"
#include "machine/dso/dso.h"
#include "machine/dso/guest_kernels.h"
#include "machine/jit_code.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"

namespace peregrine {

inline constexpr std::string_view kKernelName = "[kernel.kallsyms]";

// Bits of perf_event_mmap_page protection as recorded.
struct MapProtection {
  static constexpr u32 Read = 1, Write = 2, Exec = 4;
};

// What is counted while side-band is applied.
struct MachineCounts {
  u64 mmaps = 0, comms = 0, forks = 0, exits = 0, ksymbols = 0, namespaces = 0;
  u64 bad_maps = 0;           // empty or wrapping ranges
  u64 jitdumps = 0;           // that could be read
  u64 lost_jitdumps = 0;      // that could not
  u64 timeless_jitdumps = 0;  // whose times are not those of the recording: code is named by its last owner
  u64 proc_map_timeouts = 0;  // processes whose /proc/PID/maps could not be read in time when recording began
  u64 outside_records = 0;    // of processes outside of the recorder's PID namespace, ignored
};

class Machine {
 public:
  explicit Machine(SymbolPlaces places = {});
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Applies one side-band record at `moment` (ascending). Types that say nothing of threads or maps are ignored.
  void apply(const abi::SideBand& record, Moment moment);
  // From the header's BUILD_ID feature or a HEADER_BUILD_ID record: before the maps that it describes.
  void set_build_id(std::string_view name, u16 cpumode, const BuildId& id);
  // The clocks of recording and jitdumps; before the maps of dumps are applied.
  void set_jit_clock(const JitClock& clock) { jit_clock_ = clock; }
  const JitClock& jit_clock() const { return jit_clock_; }
  // Code that a compiler has dumped by `time` is mapped from `moment` on. Before the record of that moment is applied.
  void apply_jit(u64 time, Moment moment) {
    if (time >= jit_.next_time()) jit_.apply_until(time, spaces_, moment);
  }
  // From now on forget_before() drops threads that have ended, with their maps. A live machine needs it: its memory
  // follows what runs, not what ever ran.
  void forget_exited_threads() { forgets_exited_ = true; }
  // Nobody will ask about earlier moments again.
  void forget_before(Moment moment);

  // The thread at that moment; ThreadState{} with only pid and tid set (comm ":TID") when side-band never named it.
  ThreadState thread(u32 pid, u32 tid, Moment moment) const { return threads_.find(pid, tid, moment); }
  // Its name: "bash", ":4711" for a thread without a recorded name, "swapper" for tid 0.
  std::string comm_text(CommId comm) const { return threads_.comm_text(comm); }
  // The id under which that name is known, if any thread was ever called so.
  std::optional<CommId> find_comm(std::string_view name) const { return threads_.find_comm(name); }

  const DsoTable& dsos() const { return dsos_; }
  DsoTable& dsos() { return dsos_; }
  const AddressSpaces& spaces() const { return spaces_; }
  const ThreadTable& threads() const { return threads_; }
  const JitCode& jit() const { return jit_; }
  SpaceId kernel_space() const { return kernel_space_; }
  DsoId kernel_dso() const { return dsos_.kernel(); }
  const GuestKernels& guests() const { return guests_; }
  // Whether an address is the kernel's own: linux-perf trusts its symbols, once it has some, more than its recorded
  // map, which ends with the text that ran when recording began and may be all there is.
  bool in_kernel_image(u64 ip, bool mapped) const;
  const MachineCounts& counts() const { return counts_; }
  // Moments from here on are not yet known: what is looked up for a moment before it holds for good.
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
  std::unordered_map<std::string, DsoId> modules_;  // by "[name]"
  MachineCounts counts_;
  Moment applied_until_ = 1;
  bool forgets_exited_ = false;
};

}  // namespace peregrine
