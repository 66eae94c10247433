// The module perf_trace_context, with which scripts query the event of the current handler call.
#pragma once
#include "base/bytes.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "script/python/object.h"

namespace peregrine::script {

// The current event; null pointers outside handlers.
struct CurrentEvent {
  Answers* answers = nullptr;
  ByteOrder order = kHostOrder;
  const ReplaySample* sample = nullptr;
  const EventPlan* plan = nullptr;
};

// Makes the module importable. `current` must outlive the interpreter. False: a Python error is set.
bool add_context_module(CurrentEvent& current);

}  // namespace peregrine::script
