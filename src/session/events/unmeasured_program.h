// Commands that the kernel does not allow to be measured: it closes a thread's events when the thread executes a
// program that its user must not read, or that changes privileges (setuid, setgid, file capabilities). Events of CPUs
// continue.
#pragma once
#include <string>
#include <string_view>

#include "session/session_listener.h"

namespace peregrine {

// Why a thread's events end when it executes this program; empty if they continue, or the program does not exist.
std::string why_unmeasured(const std::string& path);

// Warns if that will happen to `program`, the name of a command that is measured by events of its threads.
// `search_path`: $PATH.
void warn_about_unmeasured_program(const std::string& program, std::string_view search_path, SessionListener& listener);

}  // namespace peregrine
