// TracerGuard: undoes a command's changes to the kernel's tracer, however the command ends.
//
// A separate process waits for our end: undo(), the destructor, or a kill. If that process is killed as well, the
// ownership record tells the next start what to undo (undo_abandoned_tracer).
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/tracer/saved_tracer.h"
#include "capture/tracer/trace_folder.h"
#include "sys/kernel/ownership_record.h"
#include "sys/root.h"

namespace peregrine {

class TracerGuard {
 public:
  // Call before changing any tracer setting. Writes the ownership record; unrecorded() says why if that fails.
  // `tracer`: the one about to run.
  static Result<TracerGuard> save(SavedTracer saved, const std::string& tracer);
  // Writes the record, then creates an instance of that name below `top`. Removing an instance removes its settings,
  // but tracer options are shared by all instances (up to linux 6.18): those in `options` are restored first.
  static Result<TracerGuard> make_instance(const TraceFolder& top, const std::string& name,
                                           const std::vector<std::string>& options);
  TracerGuard(TracerGuard&&) noexcept = default;
  TracerGuard& operator=(TracerGuard&&) = delete;
  ~TracerGuard();

  const std::optional<TraceFolder>& instance() const { return instance_; }
  // All settings are made: adds them to the record, so that nobody else's settings are mistaken for ours.
  void note_settings();
  // The tracer that ran before ours in the same folder; empty if none.
  std::string replaced() const;
  // Why the next start will not find our record; empty if it will.
  const std::string& unrecorded() const { return unrecorded_; }

  // Returns the files that rejected their old value. A second call does nothing.
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
  Fd alive_;  // its closing tells the other process to act; invalid after undo
};

// The ownership record of the instance at that path.
std::string instance_record(const std::string& path);

// What an abandoned record described, and the outcome.
struct AbandonedTracer {
  std::string what;                  // "tracing instance '…'"
  std::vector<std::string> refused;  // files that rejected their value, or the instance that could not be removed
  std::vector<std::string> foreign;  // settings changed by others: nothing was touched
};

// Undoes what a dead owner's record describes and deletes the record unless something refused; nullopt if it is not a
// tracer's record.
std::optional<AbandonedTracer> undo_abandoned_tracer(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
