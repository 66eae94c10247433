// LiveView: the contents of top: samples of a LiveSession, summed, decayed, and turned into rows.
//
// open() starts the recording; look() is one refresh: it adds the new samples to the decayed sums. Rows are valid until
// the next look(). Not thread safe; an internal lock protects against the session's threads.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "analysis/annotate/hit_collector.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/decay.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/row/row_table.h"
#include "cmd/report/report_plan.h"
#include "cmd/top/top_options.h"
#include "pipeline/live/live_session.h"
#include "session/profile_session.h"

namespace peregrine::cmd {

// What one look saw, of all events.
struct LiveCounts {
  u64 samples = 0, kernel = 0, user = 0, guest_kernel = 0, guest_user = 0;
  u64 exact = 0;
  u64 lost = 0, all_lost = 0;        // records, since the last look and ever
  u64 dropped = 0, all_dropped = 0;  // samples that the kernel gave up
  double seconds = 0;                // since the last look
  double own_cost = 0;               // percent of one CPU that this program used meanwhile, its threads included
};

class LiveView {
 public:
  // Errors: everything that keeps a recording from starting.
  static Result<std::unique_ptr<LiveView>> open(TopOptions& options, Invocation& call);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  const LiveCounts& look();
  const LiveCounts& counts() const { return counts_; }
  const Plan& plan() const { return plan_; }
  const data::Evlist& evlist() const { return reader_->evlist(); }
  std::size_t cpus() const { return cpus_; }

  const Hists& hists() const { return history_; }
  // Calls `use` with the names that rows need, while nothing changes.
  template <class Use>
  void with_names(const Use& use) {
    const std::scoped_lock lock(session_->mutex());
    MachineNaming naming = profile_->naming(options_.report.verbose > 0);
    naming.set_recorded(names_);
    use(naming);
  }
  const ProfileSession& profile() const { return *profile_; }
  const Machine& machine() const { return profile_->machine(); }
  // By id, as far as they came along.
  const RecordedNames& recorded_names() const { return names_; }
  // As collected: those of the columns, and what zooms choose by.
  const std::vector<SortKey>& keys() const { return profile_->keys(); }
  // While mutex() is held: where in functions samples fell, ever.
  RecordedHits hits() const { return hits_->hits(reader_->evlist().size()); }
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
  Result<> stop();

 private:
  explicit LiveView(TopOptions& options, Invocation& call);
  Result<> start_recording();
  Result<> start_replay();
  void take_counts();
  class Counter;

  TopOptions& options_;
  Invocation& call_;
  std::size_t cpus_ = 0;
  bool zero_ = false;
  std::unique_ptr<LiveSession> session_;
  std::optional<OpenedRecording> reader_;
  Plan plan_;
  std::optional<ProfileSession> profile_;
  RecordedNames names_;
  std::unique_ptr<HitCollector> hits_;
  std::unique_ptr<Counter> counter_;
  Hists history_{1};
  bool any_history_ = false;
  LiveCounts counts_;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  double cpu_seconds_ = 0;
};

}  // namespace peregrine::cmd
