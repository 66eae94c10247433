#include "session/live/live_profile.h"

#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/decay.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/trace_fields.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/process/moment.h"
#include "pipeline/replay/account.h"

namespace peregrine {

namespace {

// A refresh forgets frames beyond this number, or once symbols of files use this much more than twice the size that was
// kept last time.
constexpr std::size_t kMostFrames = 1u << 16, kFreeSymbolBytes = 8u << 20;

double seconds_used() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

LiveProfile::LiveProfile(std::unique_ptr<LiveSession> session, data::Reader& reader, bool raw_trace,
                         std::unique_ptr<TraceFields> fields)
    : session_(std::move(session)), reader_(reader), profile_(reader, raw_trace, std::move(fields)) {}

LiveProfile::~LiveProfile() { static_cast<void>(stop()); }

Result<> LiveProfile::start(LiveProfileRequest request) {
  profile_.open(std::move(request.places), request.full_source_paths);
  profile_.machine().forget_exited_threads();
  PEREGRINE_TRY(profile_.collect(std::move(request.collect)));
  counter_ = std::make_unique<LiveCounter>(profile_.collector(), hits_);
  hide(request.hide_kernel, request.hide_user);
  zero_ = request.zero;
  long_names_ = request.long_names;
  session_->replay(reader_, profile_.machine(), std::move(request.replay), *counter_);
  cost_.start(std::chrono::steady_clock::now(), seconds_used());
  return {};
}

void LiveProfile::hide(bool kernel, bool user) {
  const std::scoped_lock lock(session_->mutex());
  hide_locked(kernel, user);
}

void LiveProfile::hide_locked(bool kernel, bool user) { counter_->hide(kernel, user); }

const LiveCounts& LiveProfile::look() {
  const std::scoped_lock lock(session_->mutex());
  take_counts();
  names_.merge(profile_.collector().recorded_names());
  Hists fresh = profile_.collector().take();
  if (!any_history_ || zero_) {
    history_ = faded(fresh, {1, 1});  // a copy that can grow
  } else {
    history_ = faded(history_, {});
    history_.merge(std::move(fresh));
  }
  any_history_ = true;
  if (session_->frame_count() > kMostFrames || machine().dsos().releasable_bytes() > 2 * kept_bytes_ + kFreeSymbolBytes)
    forget_what_is_gone();
  return counts_;
}

// The collector has just been emptied, so only the faded sums and the hits still refer to symbols.
void LiveProfile::forget_what_is_gone() {
  std::vector<bool> used(machine().dsos().size());
  machine().spaces().mark_dsos(used);
  for (u32 i = 0; i < history_.frames().size(); ++i) {
    const HistFrame& frame = history_.frames()[HistFrameId(i)];
    if (frame.dso != HistFrame::kNone) used[frame.dso] = true;
  }
  hits_.forget_frames([&](DsoId dso) { return used[dso.value]; });
  session_->forget(used);
  kept_bytes_ = machine().dsos().releasable_bytes();
}

void LiveProfile::take_counts() {
  const LiveCounts before = counts_;
  counts_ = counter_->take();
  const ReplayAccount& account = session_->account();
  counts_.all_lost = account.lost_events;
  counts_.all_dropped = account.lost_samples;
  counts_.lost = counts_.all_lost - before.all_lost;
  counts_.dropped = counts_.all_dropped - before.all_dropped;
  const auto now = std::chrono::steady_clock::now();
  counts_.seconds = std::chrono::duration<double>(now - std::exchange(last_look_, now)).count();
  counts_.own_cost = cost_.measure(now, seconds_used());
}

}  // namespace peregrine
