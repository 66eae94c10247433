#include "cmd/top/live_view.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "cmd/events/event_sources.h"
#include "cmd/events/open_log.h"
#include "cmd/frame/version.h"
#include "cmd/record/record_settle.h"

namespace peregrine::cmd {

namespace {

constexpr std::chrono::milliseconds kTick{500};

double seconds_used() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// An event that only carries side-band.
bool is_dummy(const data::Event& event) {
  return event.attr.type == static_cast<u32>(abi::EventType::Software) &&
         event.attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
}

RecordingOptions live_recording(const TopOptions& options, Target target, const Invocation& call) {
  const RecordCommandOptions& record = options.record;
  RecordingOptions how;
  how.target = std::move(target);
  how.ring_bytes = record.ring_bytes;
  how.synthesis_threads = record.synthesis_threads;
  how.map_timeout_ms = record.map_timeout_ms;
  how.real_time_priority = record.real_time_priority;
  how.data_maps = record.config.addresses;
  how.namespaces = record.config.namespaces;
  how.cgroups = record.config.cgroups;
  how.build_ids = false;
  how.tick = kTick;
  how.live = true;
  how.command_line = call.argv;
  how.version = std::string(kSpeaks);
  return how;
}

}  // namespace

// Counts by mode, and hands on what is not hidden.
class LiveView::Counter : public ReplaySink {
 public:
  Counter(HistCollector& collector, HitCollector& hits) : collector_(collector), hits_(hits) {}

  void begin(unsigned workers) override {
    collector_.begin(workers);
    hits_.begin(workers);
  }
  void begin_batch() override { collector_.begin_batch(); }
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    collector_.side_band(record, resolver, worker);
  }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    ++counts_.samples;
    if ((sample.sample.misc & abi::misc_bit::ExactIp) != 0) ++counts_.exact;
    switch (sample.sample.cpumode()) {
      case abi::misc_bit::Kernel:
        ++counts_.kernel;
        if (hide_kernel) return;
        break;
      case abi::misc_bit::User:
        ++counts_.user;
        if (hide_user) return;
        break;
      case abi::misc_bit::GuestKernel:
        ++counts_.guest_kernel;
        break;
      case abi::misc_bit::GuestUser:
        ++counts_.guest_user;
        break;
      default:
        break;
    }
    collector_.sample(sample, resolver, worker);
    hits_.sample(sample, resolver, worker);
  }
  LiveCounts take() { return std::exchange(counts_, {}); }

  bool hide_kernel = false, hide_user = false;

 private:
  HistCollector& collector_;
  HitCollector& hits_;
  LiveCounts counts_;
};

LiveView::LiveView(TopOptions& options, Invocation& call) : options_(options), call_(call) {}
LiveView::~LiveView() { static_cast<void>(stop()); }

Result<std::unique_ptr<LiveView>> LiveView::open(TopOptions& options, Invocation& call) {
  std::unique_ptr<LiveView> view(new LiveView(options, call));
  PEREGRINE_TRY(view->start_recording());
  PEREGRINE_TRY(view->start_replay());
  return view;
}

Result<> LiveView::start_recording() {
  RecordCommandOptions& record = options_.record;
  tell_problems(record.sources, call_.messages);
  settle_target(record, call_);
  const Root& root = record.sources.root();
  const PerfLimits limits = perf_limits(root);
  auto target = make_target(root, record.target);
  if (!target) return std::unexpected(std::move(target.error()));
  cpus_ = target->cpus.size();
  std::vector<std::string> warnings;
  PEREGRINE_TRY(settle_events(record, limits, *target, call_, warnings));
  RecordingOptions how = live_recording(options_, std::move(*target), call_);
  auto session = LiveSession::start(root, std::move(how), std::move(record.events), record.sources);
  if (!session) return std::unexpected(std::move(session.error()));
  session_ = std::move(*session);
  auto reader = data::Reader::open_fd(session_->take_data(), "what is being sampled");
  PEREGRINE_TRY(session_->opened());
  if (!reader) return std::unexpected(std::move(reader.error()));
  reader_.emplace(std::move(*reader));
  const auto& said = session_->warnings();
  warnings.insert(warnings.end(), said.begin(), said.end());
  for (const std::string& warning : warnings)
    call_.messages.verbatim(warning.ends_with('\n') ? warning : warning + "\n");
  return {};
}

Result<> LiveView::start_replay() {
  ReportOptions& report = options_.report;
  report.symbols.parameters = report.verbose > 0;
  profile_.emplace(*reader_, report.raw_trace, recorded_fields(*reader_, report.raw_trace));
  auto plan = make_plan(report, *reader_, profile_->fields());
  if (!plan) return std::unexpected(std::move(plan.error()));
  plan_ = std::move(*plan);
  std::erase_if(plan_.tables, [&](const std::vector<u32>& events) { return is_dummy(reader_->evlist()[events[0]]); });
  auto request = make_request(report, plan_, *reader_);
  if (!request) return std::unexpected(std::move(request.error()));
  const auto event_switch = make_event_switch(report.switching, plan_.names, call_);
  if (!event_switch) return fail(ErrorKind::NotFound, "--switch-on, --switch-off: no such event is sampled");
  request->event_switch = *event_switch;
  profile_->open(symbol_places(report.symbols, call_, *reader_), report.full_source_path);
  add_zoom_keys(*request);
  PEREGRINE_TRY(profile_->collect(std::move(*request)));
  hits_ = std::make_unique<HitCollector>(HitRequest{});
  counter_ = std::make_unique<Counter>(profile_->collector(), *hits_);
  hide(options_.hide_kernel, options_.hide_user);
  zero_ = options_.zero;

  session_->replay(*reader_, profile_->machine(), make_replay_options(report, plan_, keys(), *event_switch, {}),
                   *counter_);
  return {};
}

void LiveView::hide(bool kernel, bool user) {
  const std::scoped_lock lock(session_->mutex());
  hide_locked(kernel, user);
}

void LiveView::hide_locked(bool kernel, bool user) {
  counter_->hide_kernel = kernel;
  counter_->hide_user = user;
}

const LiveCounts& LiveView::look() {
  const std::scoped_lock lock(session_->mutex());
  take_counts();
  names_.merge(profile_->collector().recorded_names());
  Hists fresh = profile_->collector().take();
  if (!any_history_ || zero_) {
    history_ = faded(fresh, {1, 1});  // a copy that can grow
  } else {
    history_ = faded(history_, {});
    history_.merge(std::move(fresh));
  }
  any_history_ = true;
  return counts_;
}

void LiveView::take_counts() {
  const LiveCounts before = counts_;
  counts_ = counter_->take();
  const ReplayAccount& account = session_->account();
  counts_.all_lost = account.lost_events;
  counts_.all_dropped = account.lost_samples;
  counts_.lost = counts_.all_lost - before.all_lost;
  counts_.dropped = counts_.all_dropped - before.all_dropped;
  const auto now = std::chrono::steady_clock::now();
  counts_.seconds = std::chrono::duration<double>(now - std::exchange(last_look_, now)).count();
  const double used = seconds_used();
  const double cost = used - std::exchange(cpu_seconds_, used);
  counts_.own_cost = counts_.seconds > 0 ? 100 * cost / counts_.seconds : 0;
}

Result<> LiveView::stop() { return session_ ? session_->stop() : Result<>(); }

}  // namespace peregrine::cmd
