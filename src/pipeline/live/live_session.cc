#include "pipeline/live/live_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <expected>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "data/reader/reader.h"
#include "event/source.h"
#include "event/spec.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr int kPipeBytes = 1 << 20;

// States of opening the recording's events.
constexpr int kStarting = 0, kOpened = 1, kRefused = 2;

// Both ends close on exec.
Result<std::pair<Fd, Fd>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

// The recording reads these from a descriptor, so no thread may handle them.
void block_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD, SIGPIPE}) sigaddset(&mask, number);
  ::pthread_sigmask(SIG_BLOCK, &mask, nullptr);
}

// Holds the mutex while a batch changes the data that the screen reads.
class LockingSink : public ReplaySink {
 public:
  LockingSink(ReplaySink& inner, std::mutex& mutex) : inner_(inner), lock_(mutex, std::defer_lock) {}

  void begin(unsigned workers) override { inner_.begin(workers); }
  void before_batch() override { lock_.lock(); }
  void begin_batch() override { inner_.begin_batch(); }
  void begin_slice(u64 slice, unsigned worker) override { inner_.begin_slice(slice, worker); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    inner_.sample(sample, resolver, worker);
  }
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    inner_.side_band(record, resolver, worker);
  }
  void end_slice(u64 slice, unsigned worker) override { inner_.end_slice(slice, worker); }
  bool end_batch() override {
    const bool goes_on = inner_.end_batch();
    lock_.unlock();
    return goes_on;
  }

 private:
  ReplaySink& inner_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace

struct LiveSession::Input {
  Root root;
  RecordingRequest request;
  Target target;
  EventList events;
  EventSources& sources;
  RecordingHooks hooks;
};

Result<std::unique_ptr<LiveSession>> LiveSession::start(const Root& root, RecordingRequest request, Target target,
                                                        EventList events, EventSources& sources) {
  std::unique_ptr<LiveSession> session(new LiveSession);
  // The second pipe has orders for the recording, in the syntax of record --control. They take effect in its loop, so
  // that no other thread touches its events.
  auto data = make_pipe(), orders = make_pipe();
  if (!data) return std::unexpected(std::move(data.error()));
  if (!orders) return std::unexpected(std::move(orders.error()));
  session->ended_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!session->ended_) return fail_errno("eventfd");
  (void)::fcntl(data->first.get(), F_SETPIPE_SZ, kPipeBytes);
  session->data_ = std::move(data->first);
  session->write_end_ = std::move(data->second);
  auto control = ControlChannel::open(fmt::format("fd:{}", orders->first.get()));
  if (!control) return std::unexpected(std::move(control.error()));
  session->orders_ = std::move(orders->second);
  request.output.path = std::string("-");
  request.output.pipe_fd = session->write_end_.get();
  request.output.build_ids.skip = true;
  request.config.side_band.build_ids = false;  // symbols are read from the live files
  request.rings.live = true;
  block_signals();
  Input input{
      .root = root,
      .request = std::move(request),
      .target = std::move(target),
      .events = std::move(events),
      .sources = sources,
      .hooks = {.control = std::move(*control), .say = [](std::string_view) {}, .on_open = {}, .fetch_debug = {}}};
  session->recorder_ = std::thread(&LiveSession::record, session.get(), std::move(input));
  return session;
}

void LiveSession::record(Input input) {
  outcome_ = guarded([&] { return record_into_pipe(std::move(input)); });
  write_end_.reset();  // end of file for the replay, if not closed before
  if (state_ == kStarting) set_state(kRefused);
  const u64 one = 1;
  (void)!::write(ended_.get(), &one, sizeof one);
}

Result<> LiveSession::record_into_pipe(Input input) {
  auto recording = Recording::start(input.root, std::move(input.request), std::move(input.target),
                                    std::move(input.events), input.sources, std::move(input.hooks), warnings_);
  write_end_.reset();
  if (!recording) return std::unexpected(std::move(recording.error()));
  set_state(kOpened);
  auto summary = recording->run();
  if (!summary) return std::unexpected(std::move(summary.error()));
  return {};
}

void LiveSession::set_state(int state) {
  state_ = state;
  state_.notify_all();
}

Result<> LiveSession::opened() {
  state_.wait(kStarting);
  if (state_ == kOpened) return {};
  recorder_.join();
  return outcome_;
}

void LiveSession::replay(data::Reader& reader, Machine& machine, ReplayOptions options, ReplaySink& sink) {
  options.workers = 1;                            // a live profile is small, and observed programs need the CPUs
  options.batch_bytes = options.least_bytes = 1;  // deliver each round immediately
  replay_ = std::make_unique<Replay>(reader, machine, std::move(options));
  replayer_ = std::thread([this, &sink] {
    LockingSink locking(sink, mutex_);
    replayed_ = guarded([&] { return replay_->run(locking); });
  });
}

void LiveSession::enable(bool on) const {
  const std::string_view order = on ? "enable\n" : "disable\n";
  (void)!::write(orders_.get(), order.data(), order.size());
}

Result<bool> LiveSession::wait(double seconds) const {
  pollfd ended{ended_.get(), POLLIN, 0};
  const int ready = ::poll(&ended, 1, static_cast<int>(std::clamp(seconds, 0.01, 86'400.0) * 1000));
  if (ready < 0 && errno != EINTR) return fail_errno("waiting");
  return ready <= 0;
}

Result<> LiveSession::stop() {
  constexpr std::string_view kStop = "stop\n";
  if (recorder_.joinable()) {
    (void)!::write(orders_.get(), kStop.data(), kStop.size());
    if (!replayer_.joinable()) data_.reset();  // without a reader, the recorder's writes must fail, not block
    recorder_.join();
  }
  if (replayer_.joinable()) replayer_.join();
  return outcome_ ? replayed_ : outcome_;
}

LiveSession::~LiveSession() { static_cast<void>(stop()); }

}  // namespace peregrine
