// TracerGuard: undoes what a tracing command did to the kernel's tracer, whatever becomes of the command.
//
// A process of its own waits for our end: by undo(), by the destructor, or by a kill that leaves no time for either.
#pragma once
#include <optional>

#include "base/fd.h"
#include "capture/tracer/saved_tracer.h"

namespace peregrine {

class TracerGuard {
 public:
  // Either what to put back, or an instance to remove. Before the first change.
  static Result<TracerGuard> start(std::optional<SavedTracer> saved, std::optional<TraceFolder> instance);
  TracerGuard(TracerGuard&&) noexcept = default;
  TracerGuard& operator=(TracerGuard&&) = delete;
  ~TracerGuard();

  // The files that would not take their old value; asked again it does nothing.
  std::vector<std::string> undo();

 private:
  TracerGuard(std::optional<SavedTracer> saved, std::optional<TraceFolder> instance, Fd alive)
      : saved_(std::move(saved)), instance_(std::move(instance)), alive_(std::move(alive)) {}
  std::vector<std::string> run() const;

  std::optional<SavedTracer> saved_;
  std::optional<TraceFolder> instance_;
  Fd alive_;  // the other process sees its end; invalid once undone
};

}  // namespace peregrine
