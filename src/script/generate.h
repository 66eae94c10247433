// Generates a starter script: one handler per tracepoint of a recording, which prints all fields.
#pragma once
#include <span>
#include <string>

#include "script/event_plan.h"

namespace peregrine::script {

// Tracepoints that occur more than once have one handler.
std::string python_script(std::span<const EventPlan> events);
std::string perl_script(std::span<const EventPlan> events);

}  // namespace peregrine::script
