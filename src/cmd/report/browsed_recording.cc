#include "cmd/report/browsed_recording.h"

#include <sys/eventfd.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/guarded.h"
#include "base/number/whole_number.h"
#include "cmd/sandbox/denied_files.h"
#include "output/text/dump/header_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRows{120};
constexpr milliseconds kLook{100};   // how often is looked whether there is more to show
constexpr unsigned kTimeShift = 22;  // samples are counted by 4 ms

}  // namespace

// Sums rows, hits and times, and lets the screen in between batches.
class BrowsedRecording::ReadSink : public ReplaySink {
 public:
  explicit ReadSink(BrowsedRecording& owner) : owner_(owner), turn_(owner.mutex_, std::defer_lock) {}

  void begin(unsigned workers) override {
    owner_.session_->collector().begin(workers);
    owner_.hits_->begin(workers);
    counts_.resize(workers);
  }
  void before_batch() override {
    while (owner_.wanted_) std::this_thread::yield();
    turn_.lock();
  }
  void begin_batch() override { owner_.session_->collector().begin_batch(); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    owner_.session_->collector().sample(sample, resolver, worker);
    owner_.hits_->sample(sample, resolver, worker);
    Counts& counts = counts_[worker];
    const u64 slot = sample.sample.time >> kTimeShift;
    if (slot != counts.slot || counts.current == nullptr) {
      counts.slot = slot;
      counts.current = &counts.by_time[slot];
    }
    ++*counts.current;
    counts.offset = std::max(counts.offset, sample.file_offset);
  }
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    owner_.session_->collector().side_band(record, resolver, worker);
  }
  bool end_batch() override {
    turn_.unlock();
    return !owner_.stop_;
  }
  // Reading has ended, perhaps in the middle of a batch. On the reader thread.
  void end() {
    if (turn_.owns_lock()) turn_.unlock();
  }

  std::map<u64, u64> by_time() const {
    std::map<u64, u64> sum;
    for (const Counts& counts : counts_)
      for (const auto& [slot, count] : counts.by_time)
        if (slot != 0) sum[slot] += count;
    return sum;
  }
  u64 offset() const {
    u64 most = 0;
    for (const Counts& counts : counts_) most = std::max(most, counts.offset);
    return most;
  }

 private:
  struct alignas(64) Counts {
    std::map<u64, u64> by_time;
    u64* current = nullptr;
    u64 slot = 0, offset = 0;
  };
  BrowsedRecording& owner_;
  std::unique_lock<std::mutex> turn_;
  std::vector<Counts> counts_;
};

BrowsedRecording::BrowsedRecording(ReportOptions& options, Invocation& call) : options_(options), call_(call) {}

BrowsedRecording::~BrowsedRecording() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

Result<std::unique_ptr<BrowsedRecording>> BrowsedRecording::open(OpenedRecording reader, ReportOptions& options,
                                                                 Invocation& call) {
  std::unique_ptr<BrowsedRecording> recording(new BrowsedRecording(options, call));
  recording->reader_.emplace(std::move(reader));
  PEREGRINE_TRY(recording->prepare());
  recording->start();
  return recording;
}

Result<> BrowsedRecording::prepare() {
  ended_fd_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!ended_fd_) return fail_errno("eventfd");
  struct stat status{};
  if (::stat(reader_->path().c_str(), &status) == 0) file_bytes_ = static_cast<u64>(status.st_size);
  session_.emplace(*reader_, options_.raw_trace, recorded_fields(*reader_, options_.raw_trace));
  auto plan = make_plan(options_, *reader_, session_->fields());
  if (!plan) return std::unexpected(std::move(plan.error()));
  plan_ = std::move(*plan);
  const auto event_switch = make_event_switch(options_.switching, plan_.names, call_);
  if (!event_switch) return fail(ErrorKind::NotFound, "--switch-on, --switch-off: there is no such event");
  auto request = make_request(options_, plan_, *reader_);
  if (!request) return std::unexpected(std::move(request.error()));
  request->event_switch = *event_switch;
  request->kept_samples = static_cast<std::size_t>(std::max(options_.browsed_samples, 0));
  add_zoom_keys(*request);
  options_.symbols.parameters = options_.verbose > 0;
  session_->open(symbol_places(options_.symbols, call_, *reader_), options_.full_source_path);
  PEREGRINE_TRY(session_->collect(std::move(*request)));
  hits_ = std::make_unique<HitCollector>(HitRequest{.runs = true});
  auto filter = make_filter(options_, *reader_, call_);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return fail(ErrorKind::Usage, "failed to set cpu bitmap");
  replay_ = std::make_unique<Replay>(
      *reader_, session_->machine(),
      make_replay_options(options_, plan_, session_->keys(), *event_switch, std::move(**filter)));

  naming_ = std::make_unique<MachineNaming>(session_->naming(options_.verbose > 0));
  code_ = std::make_unique<CodeFinder>(
      machine(), ListingRequest{.places = {options_.symbols.sysroot().folder, options_.source_prefix,
                                           options_.source_prefix_strip.value_or(0)}});
  code_->listings().add_programs(reader_->header().features, reader_->header().order);
  return {};
}

void BrowsedRecording::start() {
  BrowseOptions browse{.columns = plan_.columns,
                       .keys = session_->keys(),
                       .tables = plan_.tables,
                       .children = plan_.children,
                       .graphs = plan_.graphs,
                       .by_cpumode = plan_.by_cpumode,
                       .graph = plan_.graph,
                       .sort_member = options_.group_sort_member};
  for (const std::vector<u32>& events : plan_.tables)
    browse.names.push_back(table_name(plan_.names, reader_->evlist(), events));
  queries_ = std::make_unique<HistQueries>(std::move(browse), *naming_);
  queries_->set_code([this](const HistFrame& frame, const std::vector<u32>& events) -> Result<AnnotatedCode> {
    code_->set_hits(hits_->hits(reader_->evlist().size()));
    return code_->find(frame, events);
  });
  queries_->set_header([this] {
    Sink text;
    print_header(reader_->header(), reader_->evlist(), true, text);
    return text.take();
  });
  queries_->set_dsos([this](u32 dso) { return describe_dso(machine().dsos(), DsoId(dso)); });
  queries_->set_activity([this](std::size_t parts) { return activity(parts); });
  sink_ = std::make_unique<ReadSink>(*this);
  started_ = std::chrono::steady_clock::now();
  thread_ = std::thread([this] {
    outcome_ = guarded([this] { return replay_->run(*sink_); });
    sink_->end();
    ended_ = true;
    ::eventfd_write(ended_fd_.get(), 1);
  });
}

void BrowsedRecording::locked(const std::function<void()>& act) {
  wanted_ = true;
  const std::scoped_lock lock(mutex_);
  wanted_ = false;
  act();
}

void BrowsedRecording::take() {
  naming_->set_recorded(session_->collector().recorded_names());
  hists_ = complete_ ? session_->finish() : session_->collector().look();
  queries_->show(*hists_);
  queries_->set_progress({.complete = complete_, .share = share()});
}

// Of the recording, how much was read.
double BrowsedRecording::share() const {
  if (file_bytes_ == 0) return 0;
  return std::min(1.0, static_cast<double>(sink_->offset()) / static_cast<double>(file_bytes_));
}

void BrowsedRecording::look() {
  complete_ = ended_;
  if (complete_) {
    eventfd_t told = 0;
    ::eventfd_read(ended_fd_.get(), &told);  // nobody waits for it any more
  }
  locked([&] { take(); });
}

void BrowsedRecording::wait_for_rows() {
  while (!ended_ && std::chrono::steady_clock::now() - started_ < kFirstRows)
    std::this_thread::sleep_for(milliseconds(2));
  look();
  next_take_ = started_ + 4 * kFirstRows;
}

// Looks are rare while much is read, and there are none shortly before the end: each one costs what is made anew, and
// nothing is read meanwhile.
bool BrowsedRecording::changed() {
  if (complete_) return false;
  if (!ended_) {
    if (std::chrono::steady_clock::now() < next_take_) return false;
    double read = 0;
    locked([&] { read = share(); });
    const auto so_far = std::chrono::steady_clock::now() - started_;
    if (read > 0 && std::chrono::duration<double>(so_far).count() * (1 - read) / read < 0.5) return false;
    next_take_ = std::chrono::steady_clock::now() + so_far;
  }
  look();
  return true;
}

tui::BrowserHooks BrowsedRecording::hooks() {
  return {.calm = [this] { return complete_ ? -1 : static_cast<int>(kLook.count()); },
          .changed_fd = complete_ ? -1 : ended_fd_.get(),
          .changed = [this] { return changed(); },
          .locked = [this](const std::function<void()>& act) { locked(act); },
          .over = nullptr};
}

std::vector<u64> BrowsedRecording::activity(std::size_t parts) const {
  const std::map<u64, u64> by_time = sink_->by_time();
  if (by_time.empty() || parts == 0) return {};
  const u64 first = by_time.begin()->first, width = by_time.rbegin()->first - first + 1;
  std::vector<u64> sums(parts);
  for (const auto& [slot, count] : by_time) sums[(slot - first) * parts / width] += count;
  return sums;
}

std::string BrowsedRecording::time_range(double from, double to) {
  std::map<u64, u64> by_time;
  locked([&] { by_time = sink_->by_time(); });
  if (by_time.empty()) return {};
  const u64 first = by_time.begin()->first << kTimeShift, last = (by_time.rbegin()->first + 1) << kTimeShift;
  const auto at = [&](double share) {
    const u64 time = first + whole_number(static_cast<double>(last - first) * share / 100);
    return fmt::format("{}.{:09}", time / 1'000'000'000, time % 1'000'000'000);
  };
  return fmt::format("{},{}", at(from), at(to));
}

void BrowsedRecording::tell_problems() {
  if (!ended_) return;
  if (thread_.joinable()) thread_.join();
  warn_about_denied_files(call_, machine().dsos());
  warn_about_losses(call_, replay_->account(), reader_->account());
  tell_decoding(*reader_, call_);
  if (!outcome_) call_.messages.warning(outcome_.error().message);
}

}  // namespace peregrine::cmd
