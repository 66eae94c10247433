// LiveSession: processes samples while they are taken: a Recording on one thread writes into a pipe, a Replay on
// another reads it.
//
//   rings ─ Recording ─▶ pipe ─▶ Reader ─ Replay ─▶ the owner's sink      (the same code as for files)
//
// The owner must hold mutex() to read the machine and its sink; the replay holds it while it processes a batch. Signals
// that end a command end first the recording, then everything.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "data/reader/reader.h"
#include "event/source.h"
#include "event/spec.h"
#include "machine/machine.h"
#include "pipeline/recording/recording.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/replay.h"
#include "sys/root.h"

namespace peregrine {

class LiveSession {
 public:
  // Starts the recording, with a pipe for its output; `sources` is borrowed. opened() says whether the events could be
  // opened.
  static Result<std::unique_ptr<LiveSession>> start(const Root& root, RecordingRequest request, Target target,
                                                    EventList events, EventSources& sources);
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // The reader's input. Call once.
  Fd take_data() { return std::move(data_); }
  // The error that prevented opening the events; warnings() has the messages. Blocks until known; somebody must be
  // reading the data.
  Result<> opened();
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Replays on a separate thread until the recording ends. All arguments must outlive the session.
  void replay(data::Reader& reader, Machine& machine, ReplayOptions options, ReplaySink& sink);
  std::mutex& mutex() { return mutex_; }
  // Hold mutex() while using it.
  const ReplayAccount& account() const { return replay_->account(); }
  // As Replay has them. Hold mutex() while calling them.
  std::size_t frame_count() const { return replay_->frame_count(); }
  void forget(const std::vector<bool>& used) { replay_->forget(used); }

  // Enables or disables the events, with a short delay.
  void enable(bool on) const;
  // Readable when all data has been processed.
  int ended_fd() const { return ended_.get(); }
  // Sleeps, at most a day. False if the recording has ended. Errors: poll(2).
  Result<bool> wait(double seconds) const;
  // Ends the recording and waits. Returns the error that ended it, if any.
  Result<> stop();

 private:
  LiveSession() = default;
  struct Input;  // of the recording's thread
  void record(Input input);
  Result<> record_into_pipe(Input input);
  void set_state(int state);

  Fd data_, write_end_, orders_, ended_;
  std::mutex mutex_;
  std::vector<std::string> warnings_;
  std::atomic<int> state_ = 0;  // 1: events are open; 2: opening failed
  Result<> outcome_, replayed_;
  std::unique_ptr<Replay> replay_;
  std::thread recorder_, replayer_;
};

}  // namespace peregrine
