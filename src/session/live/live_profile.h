// LiveProfile: samples of the running system, summed, faded and turned into rows: the contents of top.
//
//   LiveSession ── batches ──▶ counter ──▶ HistCollector ── look() ──▶ faded sums ──▶ rows
//                                    └───▶ HitCollector                              (valid until the next look)
//
// Made from a session that samples already. start() says what is collected; each look() is one refresh. Calls come from
// one thread; the session's mutex() protects what its own threads write meanwhile.
//
// Sums fade away, and once there are many frames or symbol tables, a look frees those that neither a row nor a process
// needs, so that their memory depends on what runs, not on what ever ran.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>

#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/trace_fields.h"
#include "base/result.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "pipeline/live/live_session.h"
#include "pipeline/replay/replay.h"
#include "session/live/cost_meter.h"
#include "session/live/live_counter.h"
#include "session/profile_session.h"

namespace peregrine {

struct LiveProfileRequest {
  CollectRequest collect;
  ReplayOptions replay;
  SymbolPlaces places;
  bool full_source_paths = false;
  bool long_names = false;  // symbols with their parameters
  bool hide_kernel = false, hide_user = false;
  bool zero = false;  // each look shows what is new only
};

class LiveProfile {
 public:
  // `reader` reads the session's data, and outlives this. `fields`: as ProfileSession takes them.
  LiveProfile(std::unique_ptr<LiveSession> session, data::Reader& reader, bool raw_trace,
              std::unique_ptr<TraceFields> fields);
  // Ends the session.
  ~LiveProfile();
  LiveProfile(const LiveProfile&) = delete;
  LiveProfile& operator=(const LiveProfile&) = delete;

  // Collects from now on. Once, before the first look(). Errors: as HistCollector::make().
  Result<> start(LiveProfileRequest request);

  const LiveCounts& look();
  const LiveCounts& counts() const { return counts_; }
  const Hists& hists() const { return history_; }
  // Calls `use` with the names that rows need, while nothing changes.
  template <class Use>
  void with_names(const Use& use) {
    const std::scoped_lock lock(mutex());
    MachineNaming naming = profile_.naming(long_names_);
    naming.set_recorded(names_);
    use(naming);
  }

  const data::Evlist& evlist() const { return reader_.evlist(); }
  ProfileSession& profile() { return profile_; }
  const ProfileSession& profile() const { return profile_; }
  const Machine& machine() const { return profile_.machine(); }
  // By id, as far as they came along.
  const RecordedNames& recorded_names() const { return names_; }
  // While mutex() is held: where in functions samples fell, of all code that is still mapped or shown.
  RecordedHits hits() const { return hits_.hits(reader_.evlist().size()); }
  std::mutex& mutex() { return session_->mutex(); }

  // From the next sample on.
  void hide(bool kernel, bool user);
  // The same while mutex() is held.
  void hide_locked(bool kernel, bool user);
  // From the next look on: nothing of before.
  void set_zero(bool zero) { zero_ = zero; }

  // Whether the events count.
  void enable(bool on) const { session_->enable(on); }
  int ended_fd() const { return session_->ended_fd(); }
  Result<> stop() { return session_->stop(); }

 private:
  void take_counts();
  void forget_what_is_gone();

  std::unique_ptr<LiveSession> session_;
  data::Reader& reader_;
  ProfileSession profile_;
  bool long_names_ = false, zero_ = false;
  RecordedNames names_;
  HitCollector hits_{HitRequest{}};
  std::unique_ptr<LiveCounter> counter_;
  Hists history_{1};
  bool any_history_ = false;
  LiveCounts counts_;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  CostMeter cost_;
  std::size_t kept_bytes_ = 0;  // of symbols, left by the last forget_what_is_gone()
};

}  // namespace peregrine
