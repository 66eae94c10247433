// Commands that the kernel does not allow to be measured: it closes a thread's events when the thread starts a program
// that its user must not read, or that gives it other rights (setuid, setgid, file capabilities). Events of CPUs go on.
#pragma once
#include <string>
#include <string_view>

#include "session/session_listener.h"

namespace peregrine {

// Why a thread's events end when it starts this program; empty if they go on, or there is no such program.
std::string why_unmeasured(const std::string& path);

// Warns if that will happen to `program`, the first word of a command that is measured by events of its threads.
// `search_path`: $PATH.
void warn_about_unmeasured_program(const std::string& program, std::string_view search_path, SessionListener& listener);

}  // namespace peregrine
