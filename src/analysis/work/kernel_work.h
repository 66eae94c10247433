// KernelWork: the kernel's work outside tasks: interrupt handlers, softirqs and workqueue items; how long each ran, and
// its delay after being raised.
//
//   raise ──delay──▶ entry ──runtime──▶ exit        of one piece of work: an irq on a CPU, a softirq on a CPU, an item
//
// Interrupts have no raise. A workqueue item may be raised, start and end on three different CPUs, because its worker
// sleeps and migrates; the kernel never runs an item twice concurrently, so its address alone pairs its events. A run
// counts on the CPU where it started. A softirq raised again before it ran has waited since the first raise. Events
// before and after a loss are not paired. Times in ns.
#pragma once
#include <array>
#include <bitset>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

enum class WorkKind : u8 { Irq, Softirq, Workqueue };
inline constexpr std::size_t kWorkKinds = 3;
enum class WorkStep : u8 { Raise, Entry, Exit };

// A piece of work on a CPU, with the sums of its runtimes or delays.
struct WorkRow {
  WorkKind kind = WorkKind::Irq;
  u32 cpu = 0;
  u64 id = 0;        // irq number, softirq vector, or item address
  std::string name;  // of the handler, vector or function
  u64 count = 0, total = 0, most = 0, most_from = 0, most_until = 0;
  u64 average() const { return count == 0 ? 0 : total / count; }
};

// One run.
struct WorkRun {
  u64 from = 0, until = 0;
  std::optional<u64> raised;
  std::vector<std::string> chain;  // the interrupted functions
};

// The contents of the tables.
struct WorkSummary {
  std::vector<WorkRow> rows;  // non-empty rows, unordered
  u64 events = 0;
  u64 span = 0;  // from the first to the last event
  // By WorkStep: raises without a follow-up and entries without a raise (for delays), entries without an exit, exits
  // without an entry.
  std::array<u64, 3> unpaired{};
};

class KernelWork : public TracepointSink {
 public:
  enum class Sum : u8 { Runtimes, Delays };
  struct Request {
    Sum sum = Sum::Runtimes;
    std::array<bool, kWorkKinds> kinds = {true, true, true};
    std::string name;  // empty: all
    unsigned chain_depth = 0;
    std::function<void(const WorkRow&, const WorkRun&)> show = nullptr;  // called for each finished run
  };
  KernelWork(const data::Reader& reader, Request request);

  WorkSummary summary() const;

  std::bitset<128> records() const override;  // LOST
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;

 private:
  struct Key {
    WorkKind kind;
    u32 cpu;
    u64 id;
    auto operator<=>(const Key&) const = default;
  };
  struct Running {
    WorkRow* row;  // in items_, which has stable nodes
    WorkRun run;
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  std::string name_of(WorkKind kind, const TracepointView& view, Resolver& resolver);
  static Key pairing_key(const Key& key);  // shared by the raise, entry and exit of one run
  void raise(const Key& key, u64 time);
  void enter(const Key& key, WorkRow& row, const ReplaySample& sample, Resolver& resolver);
  void leave(const Key& key, u64 time);
  void miss(WorkStep step) { ++unpaired_[static_cast<std::size_t>(step)]; }

  Request request_;
  std::map<Key, WorkRow> items_;
  std::map<Key, u64> raised_;             // by pairing_key()
  std::map<Key, Running> running_;        // by pairing_key()
  std::map<u64, std::string> functions_;  // of workqueues, by address
  std::array<u64, 3> unpaired_{};
  u64 events_ = 0, first_ = 0, last_ = 0;
};

}  // namespace peregrine
