// Commands that the kernel does not let be measured: it closes the events of a thread that starts a program which its
// user must not read, or which gives it other rights (setuid, setgid, file capabilities). Events of CPUs go on.
#pragma once
#include <string>

#include "cli/frame/command.h"

namespace peregrine::cmd {

// Why the events of a thread end when it starts this program; empty: they do not, or there is no such program.
std::string why_unmeasured(const std::string& path);

// Warns when that happens to `program`, the first word of a command that is to be measured by events of its threads.
void warn_about_unmeasured_program(const std::string& program, Invocation& call);

}  // namespace peregrine::cmd
