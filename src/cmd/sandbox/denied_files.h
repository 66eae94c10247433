// Warnings about symbol files that were not used, including the command line that started this command.
#pragma once
#include <fmt/format.h>

#include <array>
#include <span>

#include "cli/frame/command.h"
#include "machine/dso/dso.h"
#include "session/sandbox/denied_files.h"

namespace peregrine::cmd {

inline ReaderConfinement confinement_of(const Invocation& call) {
  return {.confined = call.confined,
          .unconfined = fmt::format("{} --no-sandbox {} ...", call.messages.program(), call.command.name)};
}

// Like the functions of the same names in session/sandbox, with messages on stderr.
inline bool warn_about_denied_files(Invocation& call, std::span<const DsoTable* const> tables) {
  return warn_about_denied_files(call.messages, tables, confinement_of(call));
}
inline bool warn_about_denied_files(Invocation& call, const DsoTable& dsos) {
  return warn_about_denied_files(call, std::array{&dsos});
}

}  // namespace peregrine::cmd
