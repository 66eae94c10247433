// called(): runs a whole command in this process, with its output in memory, for tests of commands.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "output/sink.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {

// The result of a call.
struct Called {
  int code = -1;        // if there is no error
  std::string printed;  // to standard output
  std::string said;     // to standard error by the command itself
  Error error{};        // empty message: none
};

// `config` is read without a sandbox, because that would confine the test permanently.
inline Called called(const Command& command, std::vector<std::string> arguments, Config config = {}) {
  config.set("core.sandbox", "false");
  const Fd memory(::memfd_create("messages", MFD_CLOEXEC));
  Messages messages("perf", memory.get());
  Sink out;
  Invocation call{.command = command,
                  .config = config,
                  .messages = messages,
                  .out = out,
                  .argv = {"perf"},
                  .arguments = std::move(arguments)};
  const Result<int> code = command.run(call);
  ::lseek(memory.get(), 0, SEEK_SET);
  Called result{.printed = out.take(), .said = read_all(memory.get(), "messages").value_or("")};
  if (code)
    result.code = *code;
  else
    result.error = code.error();
  return result;
}

// The message of the usage error that ends a call; otherwise a text that no message equals.
inline std::string misuse_of(const Command& command, std::vector<std::string> arguments, Config config = {}) {
  const Called call = called(command, std::move(arguments), std::move(config));
  if (call.error.message.empty()) return "no error, but exit code " + std::to_string(call.code);
  return call.error.kind == ErrorKind::Usage ? call.error.message : "no usage error: " + call.error.message;
}

// Writes a built recording (PerfDataBuilder, TracepointRecording) as a file; returns its path.
template <class Recording>
std::string recorded_in(const TemporaryFolder& folder, const Recording& recording) {
  const auto bytes = recording.bytes();
  return folder.write("perf.data", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace peregrine::cmd
