// The module perf_trace_context: what a script may ask about the event that its handler was just called for.
#pragma once
#include "script/interpreter.h"
#include "script/python/object.h"

namespace peregrine::script {

// The event at hand; null pointers outside of handlers.
struct CurrentEvent {
  Answers* answers = nullptr;
  ByteOrder order = kHostOrder;
  const ReplaySample* sample = nullptr;
  const EventPlan* plan = nullptr;
};

// Puts the module where `import` finds it. `current` outlives the interpreter. False: Python's error is set.
bool add_context_module(CurrentEvent& current);

}  // namespace peregrine::script
