// GuestExits: why KVM guests exited, and how long the host took each time.
//
//   VM-EXIT        kvm_exit ─────────────────────────────▶ kvm_entry
//   MMIO, written             kvm_mmio (write) ──────────▶ kvm_entry
//   MMIO, read     kvm_exit ─▶ kvm_mmio (read)
//   I/O port                  kvm_pio ───────────────────▶ kvm_entry
//
// Matched per virtual CPU, i.e. per task; if one end is lost, the exit is not counted. Times in ns.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "analysis/stat/run_stats.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

enum class GuestEvent : u8 { Exit, Mmio, IoPort };

struct GuestRow {
  std::string name;  // "HLT", "0xfee00300:W", "0x3f8:POUT"
  RunStats times;
  u64 total = 0, least = 0, most = 0;
};

class GuestExits : public TracepointSink {
 public:
  struct Request {
    GuestEvent event = GuestEvent::Exit;
    std::optional<u32> vcpu;
    std::vector<u32> pids;  // empty: all
    u64 longer_than = 0;    // ns: keep slower exits individually, except those of idle guests; 0: none
  };
  GuestExits(const data::Reader& reader, Request request);

  // By reason number, then address.
  std::vector<GuestRow> rows() const;
  // The same as above, then resets the sums.
  std::vector<GuestRow> take();

  struct Long {
    u64 time = 0, took = 0;  // time it ended, and duration
    u32 pid = 0, vcpu = 0;
    std::string name;
  };
  std::vector<Long> take_long() { return std::exchange(long_, {}); }

 private:
  using Key = std::pair<u64, u64>;  // reason and instruction set; or address and direction
  struct Begin {
    u64 time = 0;
    std::optional<Key> key;  // empty until the exit ends
  };
  struct Vcpu {
    std::optional<Begin> begin;
    std::optional<u32> number;
    u32 pid = 0;
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void take_mmio(const TracepointView& view, Vcpu& vcpu, u64 time);
  void end(Vcpu& vcpu, const Key& key, u64 time);
  std::string name_of(const Key& key) const;

  Request request_;
  std::unordered_map<u32, Vcpu> vcpus_;  // by tid
  std::map<Key, GuestRow> rows_;
  std::vector<Long> long_;
};

}  // namespace peregrine
