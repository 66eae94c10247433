// LiveSession: samples while they are taken: a Recording on a thread of its own writes into a pipe, and a Replay on
// another reads it.
//
//   rings ─ Recording ─▶ pipe ─▶ Reader ─ Replay ─▶ the owner's sink      (so a live look and a file share one loop)
//
// The owner looks at the machine and at its sink while it holds mutex(); the replay holds it from the moment a batch is
// there until the batch has reached the sink. Signals that end a command end the recording, and then everything.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/recording/recording.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class LiveSession {
 public:
  // Starts the recording; `sources` is borrowed. Whether events could be opened is told by opened().
  static Result<std::unique_ptr<LiveSession>> start(const Root& root, RecordingOptions options, EventList events,
                                                    EventSources& sources);
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // What the reader reads. Once.
  Fd take_data() { return std::move(data_); }
  // The error that kept the events from being opened, with what was said meanwhile. Blocks until it is known; somebody
  // must read the data by then.
  Result<> opened();
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Replays on a thread of its own until the recording ends. All outlive the session.
  void replay(data::Reader& reader, Machine& machine, ReplayOptions options, ReplaySink& sink);
  std::mutex& mutex() { return mutex_; }
  // While mutex() is held.
  const ReplayAccount& account() const { return replay_->account(); }

  // Whether the events count, from about now on.
  void enable(bool on) const;
  // Becomes readable when nothing more comes.
  int ended_fd() const { return ended_.get(); }
  // Ends it, and waits. Why it ended by itself, if that was an error.
  Result<> stop();

 private:
  LiveSession() = default;
  void record(const Root& root, RecordingOptions options, EventList events, EventSources& sources);
  Result<> record_into_pipe(const Root& root, RecordingOptions options, EventList events, EventSources& sources);
  void set_state(int state);

  Fd data_, write_end_, orders_, ended_;
  std::mutex mutex_;
  std::vector<std::string> warnings_;
  std::atomic<int> state_ = 0;  // 1: events are open; 2: they could not be
  Result<> outcome_, replayed_;
  std::unique_ptr<Replay> replay_;
  std::thread recorder_, replayer_;
};

}  // namespace peregrine
