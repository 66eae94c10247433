// LiveProfile: samples of the running system, summed, faded and turned into rows: the contents of top.
//
//   LiveSession ── batches ──▶ counter ──▶ HistCollector ── look() ──▶ faded sums ──▶ rows
//                                    └───▶ HitCollector                              (valid until the next look)
//
// Made from a session that is already sampling. start() selects what to collect; each look() is one refresh. Call it
// from one thread; the session's mutex() protects what the session's threads write in the meantime.
//
// Sums fade away. Once there are many frames or symbol tables, a look frees those that neither a row nor a process
// needs, so memory depends on what is running, not on everything that ever ran.
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
  bool zero = false;  // each look shows only new samples
};

class LiveProfile {
 public:
  // `reader` reads the session's data and must outlive this. `fields`: as ProfileSession takes them.
  LiveProfile(std::unique_ptr<LiveSession> session, data::Reader& reader, bool raw_trace,
              std::unique_ptr<TraceFields> fields);
  // Ends the session.
  ~LiveProfile();
  LiveProfile(const LiveProfile&) = delete;
  LiveProfile& operator=(const LiveProfile&) = delete;

  // Starts collecting. Call once, before the first look(). Errors: as HistCollector::make().
  Result<> start(LiveProfileRequest request);

  const LiveCounts& look();
  const LiveCounts& counts() const { return counts_; }
  const Hists& hists() const { return history_; }
  // Calls `use` with the names for the rows, while nothing changes.
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
  // By id, as far as known so far.
  const RecordedNames& recorded_names() const { return names_; }
  // With mutex() held: where in functions the samples fell, for all code that is still mapped or shown.
  RecordedHits hits() const { return hits_.hits(reader_.evlist().size()); }
  std::mutex& mutex() { return session_->mutex(); }

  // Takes effect with the next sample.
  void hide(bool kernel, bool user);
  // The same, with mutex() held.
  void hide_locked(bool kernel, bool user);
  // From the next look on, drops all earlier samples.
  void set_zero(bool zero) { zero_ = zero; }

  // Whether the events are enabled.
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
  std::size_t kept_bytes_ = 0;  // number of symbols left by the last forget_what_is_gone()
};

}  // namespace peregrine
