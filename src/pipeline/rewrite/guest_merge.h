// GuestMerge: converts the information about a guest's processes in the guest's recording to records of the host's.
//
//   guest's maps, names, forks, switches, symbols ─▶ ids of new events, guest modes, the host's time and CPU
//
// ID_INDEX says which new ids are the guest's, and for which of its CPUs. Samples are not merged, as in linux-perf. The
// guest's file is read up to the host's current time.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/order/order.h"
#include "data/reader/reader.h"
#include "pipeline/rewrite/guest_clock.h"

namespace peregrine {

struct GuestMergeOptions {
  u32 pid = 0;  // of the process that runs the guest
  u64 time_offset = 0;
  double time_scale = 1;
};

class GuestMerge {
 public:
  // Adds the guest's events to `host`. The readers must outlive this. Errors: the recordings cannot be merged.
  static Result<GuestMerge> begin(data::Reader& host, data::Reader& guest, const GuestMergeOptions& options);

  // ID_INDEX records; must come before all others.
  std::vector<std::byte> id_index() const;
  // Learns from a host record which CPU runs the guest's CPUs.
  void learn(const abi::RecordView& record);
  // The guest's records up to host time `time`; those without a time come first.
  Result<> take_until(u64 time, std::vector<std::byte>& out);
  // The guest's build-ids, for the host's table.
  std::vector<data::BuildIdEntry> build_ids() const;
  std::vector<std::string> notes() const;

 private:
  struct NewId {
    u64 id = 0, index = 0, cpu = ~u64{0}, tid = ~u64{0};
  };
  GuestMerge(data::Reader& host, data::Reader& guest, u32 pid, GuestClock clock)
      : host_(&host), guest_(&guest), pid_(pid), clock_(clock) {}
  Result<> add_events();
  Result<bool> advance();
  void convert(const abi::RecordView& record);
  u32 host_cpu(u64 guest_cpu) const;

  data::Reader* host_;
  data::Reader* guest_;
  u32 pid_;
  GuestClock clock_;
  std::map<u64, NewId> ids_;  // by the guest's id
  std::unique_ptr<data::Order> order_;
  std::size_t next_ = 0;           // index in the order's batch
  std::vector<std::byte> record_;  // converted, waiting for its time; empty: none
  u64 record_time_ = 0;
  abi::SideBandScratch scratch_;
  std::map<u32, u32> cpu_threads_;  // host thread → guest CPU
  std::map<u64, u32> host_cpus_;    // guest CPU → host CPU
  u64 samples_ = 0, unreadable_ = 0;
};

}  // namespace peregrine
