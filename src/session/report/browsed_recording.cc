#include "session/report/browsed_recording.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "analysis/annotate/symbol_listings.h"
#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/guarded.h"
#include "base/number/whole_number.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_text.h"
#include "output/sink.h"
#include "output/text/dump/header_text.h"
#include "pipeline/replay/replay.h"
#include "session/recording/sample_choice.h"
#include "session/report/event_tables.h"
#include "session/report/report_plan.h"

namespace peregrine {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRows{120};
constexpr milliseconds kLook{100};  // interval between checks for new data
// Steps of the time line: at least 2,048 for the time that is read, of 1 µs to 4 ms.
constexpr unsigned kLeastShift = 10, kMostShift = 22;
constexpr int kStepBits = 12;

}  // namespace

// Sums rows, hits and times, and yields to the screen between batches.
class BrowsedRecording::ReadSink : public ReplaySink {
 public:
  explicit ReadSink(BrowsedRecording& owner) : owner_(owner), turn_(owner.mutex_, std::defer_lock) {}

  void begin(unsigned workers) override {
    owner_.session_.profile().collector().begin(workers);
    owner_.hits_.begin(workers);
    counts_.resize(workers);
  }
  void before_batch() override {
    while (owner_.wanted_) std::this_thread::yield();
    turn_.lock();
  }
  void begin_batch() override { owner_.session_.profile().collector().begin_batch(); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    owner_.session_.profile().collector().sample(sample, resolver, worker);
    owner_.hits_.sample(sample, resolver, worker);
    Counts& counts = counts_[worker];
    const u64 slot = sample.sample.time >> owner_.time_shift_;
    if (slot != counts.slot || counts.current == nullptr) {
      counts.slot = slot;
      counts.current = &counts.by_time[slot];
    }
    ++*counts.current;
    counts.offset = std::max(counts.offset, sample.file_offset);
  }
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    owner_.session_.profile().collector().side_band(record, resolver, worker);
  }
  bool end_batch() override {
    turn_.unlock();
    return !owner_.stop_;
  }
  // On the reader thread: reading has ended, perhaps in the middle of a batch.
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

BrowsedRecording::BrowsedRecording(data::Reader& reader, ReportSession& session, SourcePlaces places)
    : reader_(reader),
      session_(session),
      hits_(HitRequest{.runs = true}),
      replay_(reader, session.profile().machine(), session.replay_options()),
      naming_(session.profile().naming(session.request().look.parameters)),
      code_(session.profile().machine(), ListingRequest{.places = std::move(places)}) {
  code_.listings().add_programs(reader.header().features, reader.header().order);
}

BrowsedRecording::~BrowsedRecording() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

Result<std::unique_ptr<BrowsedRecording>> BrowsedRecording::start(data::Reader& reader, ReportSession& session,
                                                                  SourcePlaces places) {
  Fd ended(::eventfd(0, EFD_CLOEXEC));
  if (!ended) return fail_errno("eventfd");
  std::unique_ptr<BrowsedRecording> recording(new BrowsedRecording(reader, session, std::move(places)));
  recording->ended_fd_ = std::move(ended);
  struct stat status{};
  if (::stat(reader.path().c_str(), &status) == 0) recording->file_bytes_ = static_cast<u64>(status.st_size);
  recording->choose_time_steps();
  recording->make_queries();
  recording->start_reading();
  return recording;
}

void BrowsedRecording::make_queries() {
  const Plan& plan = session_.plan();
  BrowseOptions browse{.columns = plan.columns,
                       .keys = session_.profile().keys(),
                       .tables = plan.tables,
                       .children = plan.children,
                       .graphs = plan.graphs,
                       .by_cpumode = plan.by_cpumode,
                       .graph = plan.graph,
                       .sort_member = session_.request().grouping.sort_member};
  for (const std::vector<u32>& events : plan.tables)
    browse.names.push_back(table_name(plan.names, reader_.evlist(), events));
  queries_ = std::make_unique<HistQueries>(std::move(browse), naming_);
  queries_->set_code([this](const HistFrame& frame, const std::vector<u32>& events) -> Result<AnnotatedCode> {
    code_.set_hits(hits_.hits(reader_.evlist().size()));
    return code_.find(frame, events);
  });
  queries_->set_header([this] {
    Sink text;
    print_header(reader_.header(), reader_.evlist(), true, text);
    return text.take();
  });
  queries_->set_dsos([this](u32 dso) { return describe_dso(machine().dsos(), DsoId(dso)); });
  queries_->set_activity([this](std::size_t parts) { return activity(parts); }, [this] { return activity_time(); });
}

void BrowsedRecording::start_reading() {
  sink_ = std::make_unique<ReadSink>(*this);
  started_ = std::chrono::steady_clock::now();
  thread_ = std::thread([this] {
    outcome_ = guarded([this] { return replay_.run(*sink_); });
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
  naming_.set_recorded(session_.profile().collector().recorded_names());
  hists_ = complete_ ? session_.profile().finish() : session_.profile().collector().look();
  queries_->show(*hists_);
  queries_->set_progress({.complete = complete_, .share = share()});
}

// The fraction of the recording that was read, from 0 to 1.
double BrowsedRecording::share() const {
  if (file_bytes_ == 0) return 0;
  return std::min(1.0, static_cast<double>(sink_->offset()) / static_cast<double>(file_bytes_));
}

void BrowsedRecording::look() {
  complete_ = ended_;
  if (complete_) {
    eventfd_t told = 0;
    ::eventfd_read(ended_fd_.get(), &told);  // the screen has stopped waiting
  }
  locked([&] { take(); });
}

void BrowsedRecording::wait_for_rows() {
  while (!ended_ && std::chrono::steady_clock::now() - started_ < kFirstRows)
    std::this_thread::sleep_for(milliseconds(2));
  look();
  next_take_ = started_ + 4 * kFirstRows;
}

// Update rarely while much is being read, and not shortly before the end: each update rebuilds all rows while reading
// is paused.
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

void BrowsedRecording::choose_time_steps() {
  const auto& recorded = reader_.header().features.sample_times;
  if (auto times = choose_times(session_.request().selection.times, reader_)) times_ = std::move(*times);
  first_time_ = recorded ? recorded->first : 0;
  u64 first = first_time_, last = recorded ? recorded->last : ~u64{0};
  if (!times_.empty()) {
    first = std::max(first, times_.front().from);
    last = std::min(last, times_.back().to);
  }
  const int bits = last > first && last != ~u64{0} ? static_cast<int>(std::bit_width(last - first)) : 64;
  time_shift_ = static_cast<unsigned>(std::clamp<int>(bits - kStepBits, kLeastShift, kMostShift));
}

ActivityTime BrowsedRecording::activity_time() const {
  const std::map<u64, u64> by_time = sink_->by_time();
  if (by_time.empty()) return {};
  const u64 first = by_time.begin()->first << time_shift_;
  return {.start = first_time_ != 0 && first > first_time_ ? first - first_time_ : 0,
          .length = (by_time.rbegin()->first - by_time.begin()->first + 1) << time_shift_};
}

// Ends at the steps that activity() counts in these parts, so that the samples are those that the screen announced.
std::string BrowsedRecording::time_range(double from, double to) {
  std::map<u64, u64> by_time;
  locked([&] { by_time = sink_->by_time(); });
  if (by_time.empty()) return {};
  const u64 first = by_time.begin()->first, width = by_time.rbegin()->first - first + 1;
  constexpr double kRounding = 1e-4;  // of a step
  const auto step_at = [&](double share) {
    const double exact = static_cast<double>(width) * share / 100;
    return first + std::min(width, whole_number(std::ceil(exact - kRounding)));
  };
  const u64 begin = step_at(from), end = std::max(step_at(to), begin + 1);
  const auto text = [](u64 time) { return fmt::format("{}.{:09}", time / 1'000'000'000, time % 1'000'000'000); };
  return fmt::format("{},{}", text(begin << time_shift_), text((end << time_shift_) - 1));
}

std::string BrowsedRecording::time_text() const {
  if (times_.empty()) return {};
  if (times_.size() > 1) return counted(times_.size(), "range");
  const auto seconds = [&](u64 time) {
    return static_cast<double>(first_time_ != 0 && time > first_time_ ? time - first_time_ : 0) / 1e9;
  };
  const TimeRange& range = times_.front();
  if (range.to == ~u64{0}) return fmt::format("from {:.3f} s", seconds(range.from));
  constexpr u64 kShort = 10'000'000;  // ns
  return fmt::format("{0:.{2}f}-{1:.{2}f} s", seconds(range.from), seconds(range.to),
                     range.to - range.from < kShort ? 6 : 3);
}

const Result<>* BrowsedRecording::outcome() {
  if (!ended_) return nullptr;
  if (thread_.joinable()) thread_.join();
  return &outcome_;
}

}  // namespace peregrine
