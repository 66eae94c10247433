// TracerGuard: undoes what a tracing command did to the kernel's tracer, whatever becomes of the command.
//
// A process of its own waits for our end: by undo(), by the destructor, or by a kill that leaves no time for either.
// When that process is killed as well, the ownership record tells the next start what to undo (undo_abandoned_tracer).
#pragma once
#include <optional>

#include "base/fd.h"
#include "capture/tracer/saved_tracer.h"
#include "sys/kernel/ownership_record.h"

namespace peregrine {

class TracerGuard {
 public:
  // Before the first change of the tracer's settings. Makes the note; where there can be none, unrecorded() says why.
  // `tracer`: the one that is going to run.
  static Result<TracerGuard> save(SavedTracer saved, const std::string& tracer);
  // Makes an instance of that name below `top`, and the note before it. An instance takes its settings with it, but the
  // options of a tracer are shared by all instances (up to linux 6.18): those in `options` are put back before it goes.
  static Result<TracerGuard> make_instance(const TraceFolder& top, const std::string& name,
                                           const std::vector<std::string>& options);
  TracerGuard(TracerGuard&&) noexcept = default;
  TracerGuard& operator=(TracerGuard&&) = delete;
  ~TracerGuard();

  const std::optional<TraceFolder>& instance() const { return instance_; }
  // All settings are made: the note tells what they are, so that nobody else's are taken for ours.
  void note_settings();
  // The tracer that was running before ours, in the same folder; empty for none.
  std::string replaced() const;
  // Why the next start will not know of us; empty when it will.
  const std::string& unrecorded() const { return unrecorded_; }

  // The files that would not take their old value; asked again it does nothing.
  std::vector<std::string> undo();

 private:
  explicit TracerGuard(std::optional<SavedTracer> saved) : saved_(std::move(saved)) {}
  void record(const Root& root, const std::string& text);
  void note(const std::string& text);
  Result<> start();
  std::vector<std::string> run();

  std::optional<SavedTracer> saved_;
  std::optional<TraceFolder> instance_;
  std::optional<OwnershipRecord> record_;
  std::string unrecorded_;
  Fd alive_;  // the other process sees its end; invalid once undone
};

// The text of an ownership record of the instance at that path.
std::string instance_record(const std::string& path);

// What an abandoned record described and what became of it.
struct AbandonedTracer {
  std::string what;                  // "tracing instance '…'"
  std::vector<std::string> refused;  // files that would not change back, or the instance that would not go
  std::vector<std::string> foreign;  // settings that are no longer ours: nothing was touched
};

// Undoes what a record of a dead owner describes and settles it, unless something refused; nullopt when the record is
// not one of a tracer.
std::optional<AbandonedTracer> undo_abandoned_tracer(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
